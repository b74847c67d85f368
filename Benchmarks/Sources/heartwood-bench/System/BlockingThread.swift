internal import Foundation

/// Runs `body` on a thread of its own, so that it may block without taking one of the few that run tasks.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result(catching: body)) }
        thread.stackSize = 1 << 20
        thread.start()
    }
}
