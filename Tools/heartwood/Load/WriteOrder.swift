internal import HeartwoodFileSystem

/// Which job may be written next, so that the last line of the input wins wherever a key stands in it twice: of two
/// jobs with a key in common the later one waits until the earlier one is done. All others may overtake each other.
///
/// Pure: it is told what comes and what is done, and says what may start.
struct WriteOrder {
    private var ready = FIFOQueue<WriteJob>()
    /// Jobs that wait for others, with the number of those.
    private var blocked: [Int: (job: WriteJob, blockers: Int)] = [:]
    /// The jobs that wait for a job.
    private var followers: [Int: [Int]] = [:]
    /// The newest job that writes a key and isn't done.
    private var newestWriter: [[UInt8]: Int] = [:]
    /// Jobs that have not been given out.
    private(set) var waitingJobs = 0
    /// Bytes of the keys and values in them.
    private(set) var waitingBytes = 0

    mutating func add(_ job: WriteJob) {
        waitingJobs += 1
        waitingBytes += job.byteCount
        var blockers: Set<Int> = []
        for record in job.records {
            guard let earlier = newestWriter.updateValue(job.number, forKey: record.key) else { continue }
            // A key that stands twice in one job is the batch's own affair.
            if earlier != job.number { blockers.insert(earlier) }
        }
        if blockers.isEmpty {
            ready.append(job)
        } else {
            blocked[job.number] = (job, blockers.count)
            for blocker in blockers { followers[blocker, default: []].append(job.number) }
        }
    }

    /// Gives out a job that may be written now; nil if there is none.
    mutating func next() -> WriteJob? {
        guard let job = ready.popFirst() else { return nil }
        waitingJobs -= 1
        waitingBytes -= job.byteCount
        return job
    }

    /// The job is written.
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
