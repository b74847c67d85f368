internal import HeartwoodFileSystem

/// Hands jobs from the one who reads to those who write, and makes the reader wait when they fall behind.
actor WriteQueue {
    /// Beyond either of these the reader waits.
    private static let maximumJobs = 8192
    private static let maximumBytes = 16 << 20

    private var order = WriteOrder()
    private var idle = FIFOQueue<CheckedContinuation<WriteJob?, Never>>()
    private var reader: CheckedContinuation<Void, Never>?
    private var isComplete = false
    /// What made a write fail, the first time.
    private(set) var failure: (any Error)?

    private var isFull: Bool {
        failure == nil && (order.waitingJobs > Self.maximumJobs || order.waitingBytes > Self.maximumBytes)
    }

    /// Adds jobs; returns once there is room for more. Called by the reader alone.
    func add(_ jobs: [WriteJob]) async {
        for job in jobs { order.add(job) }
        wakeWriters()
        if isFull { await withCheckedContinuation { reader = $0 } }
    }

    /// No more jobs will come.
    func complete() {
        isComplete = true
        wakeWriters()
    }

    /// The next job to write; nil when all is done, or a write has failed.
    ///
    /// - Parameter finished: The job that the caller has written since it last asked.
    func next(after finished: WriteJob?) async -> WriteJob? {
        if let finished {
            order.finish(finished)
            wakeWriters()
        }
        if failure == nil, let job = take() { return job }
        if isOver { return nil }
        return await withCheckedContinuation { idle.append($0) }
    }

    /// A write has failed: what was not given out is not written any more.
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
