internal import HeartwoodConcurrency

/// Decides which job may be written next, so that the last line of the input wins if a key occurs twice. If two jobs
/// have a key in common, the later one waits until the earlier one is done. All others may be written in any order.
///
/// With one writer, jobs keep the order of the input: each is done before the next one starts.
struct WriteOrder {
    private let hasOneWriter: Bool
    private var ready = FIFOQueue<WriteJob>()
    /// Jobs that wait for others, with the number of these.
    private var blocked: [Int: (job: WriteJob, blockers: Int)] = [:]
    /// The jobs that wait for a job.
    private var followers: [Int: [Int]] = [:]
    /// The newest job that writes a key and isn't done.
    private var newestWriter: [[UInt8]: Int] = [:]
    /// Jobs that were not returned by `next()` yet.
    private(set) var waitingJobs = 0
    /// Bytes of the keys and values in them.
    private(set) var waitingBytes = 0

    init(writers: Int) { hasOneWriter = writers == 1 }

    mutating func add(_ job: WriteJob) {
        waitingJobs += 1
        waitingBytes += job.byteCount
        guard !hasOneWriter else { return ready.append(job) }
        var blockers: Set<Int> = []
        for record in job.records {
            guard let earlier = newestWriter.updateValue(job.number, forKey: record.key) else { continue }
            // The batch handles a key that occurs twice in one job.
            if earlier != job.number { blockers.insert(earlier) }
        }
        if blockers.isEmpty {
            ready.append(job)
        } else {
            blocked[job.number] = (job, blockers.count)
            for blocker in blockers { followers[blocker, default: []].append(job.number) }
        }
    }

    /// Returns a job that may be written now; nil if there is none.
    mutating func next() -> WriteJob? {
        guard let job = ready.popFirst() else { return nil }
        waitingJobs -= 1
        waitingBytes -= job.byteCount
        return job
    }

    /// Notes that the job is written.
    mutating func finish(_ job: WriteJob) {
        for record in job.records where newestWriter[record.key] == job.number {
            newestWriter[record.key] = nil
        }
        for follower in followers.removeValue(forKey: job.number) ?? [] {
            guard let (waiting, blockers) = blocked[follower] else { continue }
            if blockers == 1 {
                blocked[follower] = nil
                ready.append(waiting)
            } else {
                blocked[follower] = (waiting, blockers - 1)
            }
        }
    }
}
