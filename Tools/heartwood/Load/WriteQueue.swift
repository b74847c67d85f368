internal import HeartwoodConcurrency

/// Passes jobs from the reader to the writers, and makes the reader wait if the writers are slower.
actor WriteQueue {
    /// The reader waits while either of these is exceeded.
    private static let maximumJobs = 8192
    private static let maximumBytes = 16 << 20

    private var order: WriteOrder
    private var idle = FIFOQueue<CheckedContinuation<WriteJob?, Never>>()
    private var reader: CheckedContinuation<Void, Never>?
    private var isComplete = false
    /// The error of the first write that failed.
    private(set) var failure: (any Error)?

    init(writers: Int) { order = WriteOrder(writers: writers) }

    private var isFull: Bool {
        failure == nil && (order.waitingJobs > Self.maximumJobs || order.waitingBytes > Self.maximumBytes)
    }

    /// Adds jobs. Returns when the queue is below its limits. Only the reader calls it.
    func add(_ jobs: [WriteJob]) async {
        for job in jobs { order.add(job) }
        wakeWriters()
        if isFull { await withCheckedContinuation { reader = $0 } }
    }

    /// Notes that there are no more jobs.
    func complete() {
        isComplete = true
        wakeWriters()
    }

    /// The next job to write; nil if all are done, or a write has failed.
    ///
    /// - Parameter finished: The job that the caller has written since its last call.
    func next(after finished: WriteJob?) async -> WriteJob? {
        if let finished {
            order.finish(finished)
            wakeWriters()
        }
        if failure == nil, let job = take() { return job }
        if isOver { return nil }
        return await withCheckedContinuation { idle.append($0) }
    }

    /// Notes that a write has failed. Jobs that were not returned by `next(after:)` are not written any more.
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
        wakeWriters()
        wakeReader()
    }

    private var isOver: Bool { failure != nil || (isComplete && order.waitingJobs == 0) }

    private func take() -> WriteJob? {
        defer { if !isFull { wakeReader() } }
        return order.next()
    }

    private func wakeWriters() {
        while !idle.isEmpty {
            if isOver {
                idle.popFirst()?.resume(returning: nil)
            } else if let job = take() {
                idle.popFirst()?.resume(returning: job)
            } else {
                return
            }
        }
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }
}
