/// Runs what blocks (system calls, waits for a thread) away from Swift's cooperative threads, of which there are only
/// as many as processors.
///
/// At most four threads serve the whole process, first come, first served. They start when needed and exit after ten
/// seconds without work.
package enum BlockingPool {
    private static let pool = WorkerPool(
        name: "hw-blocking", maximumThreads: 4, idleNanoseconds: 10_000_000_000)

    /// Runs `job` on one of the threads, and doesn't wait for it.
    package static func start(_ job: @escaping @Sendable () -> Void) { pool.submit(job) }

    /// Runs `body` on one of the threads, and returns or throws what it does.
    ///
    /// Cancelling the task does not interrupt `body`, nor keep one that waits for its turn from running.
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
