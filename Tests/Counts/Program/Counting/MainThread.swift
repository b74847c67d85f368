internal import HeartwoodFileSystem

/// Where the program waits for its one task.
enum MainThread {
    /// Runs `body` as a task and blocks until it is done.
    ///
    /// An asynchronous `main` would hand this thread over to Dispatch, which waits for signals on it with a mask that
    /// is in read-only memory; valgrind 3.19 writes to the mask.
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
