/// Runs blocking work (system calls, waits for a thread) outside Swift's cooperative threads, of which there are only
/// as many as processors.
///
/// At most four threads serve the whole process, in the order of the requests. They start when needed and exit after
/// ten seconds without work.
package enum BlockingPool {
    private static let pool = WorkerPool(
        name: "hw-blocking", maximumThreads: 4, idleNanoseconds: 10_000_000_000)

    /// Runs `job` on one of the threads, without waiting for it.
    package static func start(_ job: @escaping @Sendable () -> Void) { pool.submit(job) }

    /// Runs `body` on one of the threads, and returns or throws what it does.
    ///
    /// Cancelling the task neither interrupts `body` nor removes a `body` that is still queued.
    package nonisolated(nonsending) static func run<T: Sendable, E: Error>(
        _ body: @escaping @Sendable () throws(E) -> T
    ) async throws(E) -> T {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<T, E>, Never>) in
            pool.submit {
                continuation.resume(returning: Result(catching: body))
            }
        }
        return try result.get()
    }
}
