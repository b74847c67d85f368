internal import Foundation

/// A thread of its own for one task: the same loop runs on it that runs on the shared threads, and may block.
///
/// - Note: `@unchecked`: the condition guards what changes.
final class WorkerThread: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isStopped = false

    init() {
        let thread = Thread { [self] in run() }
        // Thousands of them take address space only.
        thread.stackSize = 1 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    /// Ends the thread once it has nothing left to do.
    func stop() {
        condition.lock()
        isStopped = true
        condition.signal()
        condition.unlock()
    }

    private func run() {
        let executor = asUnownedTaskExecutor()
        while let job = next() { job.runSynchronously(on: executor) }
    }

    private func next() -> UnownedJob? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty, !isStopped { condition.wait() }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}
