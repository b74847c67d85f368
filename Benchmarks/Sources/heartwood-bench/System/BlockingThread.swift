internal import Foundation

/// Runs `body` on a new thread, so that it may block without occupying one of the few threads that run tasks.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result(catching: body)) }
        thread.stackSize = 1 << 20
        thread.start()
    }
}
