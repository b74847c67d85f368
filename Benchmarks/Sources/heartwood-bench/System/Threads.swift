internal import Foundation
internal import Synchronization

/// Runs `body` on a new thread, so that it may block without occupying one of the few threads that run tasks.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result(catching: body)) }
        thread.stackSize = 1 << 20
        thread.start()
    }
}

/// Calls a function repeatedly, on its own thread, until it is stopped.
final class Repeater: Sendable {
    private let isStopped = OneWaySwitch()
    private let hasEnded = DispatchSemaphore(value: 0)

    init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [isStopped, hasEnded] in
            while !isStopped.isSet {
                Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
                body()
            }
            hasEnded.signal()
        }
        thread.start()
    }

    /// Stops it, and returns after the last call.
    func stop() {
        isStopped.set()
        hasEnded.wait()
    }
}

extension Interrupt {
    /// From now on Ctrl-C and SIGTERM request the end of the run, with the results so far. A second one ends the
    /// process.
    static func listen() {
        // Initialises the static variable here, because a signal handler must not.
        _ = isRequested
        answerStopSignals(resetting: true) { _ in Interrupt.request() }
    }
}
