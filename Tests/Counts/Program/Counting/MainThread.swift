internal import HeartwoodConcurrency

/// Runs the one task of the program while the main thread waits.
enum MainThread {
    /// Runs `body` as a task and blocks until it is done.
    ///
    /// With an asynchronous `main`, Dispatch waits on this thread for signals, with a mask in read-only memory, and
    /// valgrind 3.19 writes to that mask.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = ConditionLock<Result<Void, any Error>?>(nil)
        Task.detached {
            let result: Result<Void, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { held in
                held.state = result
                held.broadcast()
            }
        }
        try outcome.withLock { held in
            while held.state == nil { held.wait() }
            return held.state
        }?.get()
    }
}
