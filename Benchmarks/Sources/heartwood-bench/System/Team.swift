internal import Foundation

/// Workers that do the same at the same time: tasks, each on its own thread if the engine's calls block.
struct Team: Sendable {
    let count: Int
    private let threads: [WorkerThread]

    /// Creates the threads, so that this is not measured.
    init(_ count: Int, onThreads: Bool) {
        self.count = count
        threads = onThreads ? (0..<count).map { _ in WorkerThread() } : []
    }

    /// Calls `body` once for each worker, with its number.
    func run<R: Sendable>(_ body: @escaping @Sendable (Int) async throws -> R) async throws -> [R] {
        try await withThrowingTaskGroup(of: (Int, R).self) { group in
            for number in 0..<count {
                group.addTask(executorPreference: threads.isEmpty ? nil : threads[number]) {
                    (number, try await body(number))
                }
            }
            var results: [(Int, R)] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Ends the threads.
    func disband() { threads.forEach { $0.stop() } }

    /// Calls `body` once for each worker of a new team.
    static func run<R: Sendable>(
        _ count: Int, onThreads: Bool, _ body: @escaping @Sendable (Int) async throws -> R
    ) async throws -> [R] {
        let team = Team(count, onThreads: onThreads)
        defer { team.disband() }
        return try await team.run(body)
    }
}

/// A thread for one task: the task runs the same loop as on the shared threads, and may block.
///
/// - Note: `@unchecked`: the condition protects the mutable state.
private final class WorkerThread: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var isStopped = false

    init() {
        let thread = Thread { [self] in run() }
        // Thousands of threads use address space only.
        thread.stackSize = 1 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    /// Ends the thread after its last job.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func run() {
        let executor = asUnownedTaskExecutor()
        while let job = next() { job.runSynchronously(on: executor) }
    }

    private func next() -> UnownedJob? {
        condition.withLock {
            while jobs.isEmpty, !isStopped { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }
}
