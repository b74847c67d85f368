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

/// A flag that one thread raises and others read.
final class Signal: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .relaxed) }
    func raise() { raised.store(true, ordering: .relaxed) }
}

/// Calls a function repeatedly, on its own thread, until it is stopped.
final class Repeater: Sendable {
    private let isStopped = Signal()
    private let hasEnded = DispatchSemaphore(value: 0)

    init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [isStopped, hasEnded] in
            while !isStopped.isRaised {
                Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
                body()
            }
            hasEnded.signal()
        }
        thread.start()
    }

    /// Stops it, and returns after the last call.
    func stop() {
        isStopped.raise()
        hasEnded.wait()
    }
}

extension Interrupt {
    /// From now on Ctrl-C and SIGTERM request the end of the run, with the results so far. A second one ends the
    /// process.
    static func listen() {
        // Initialises the static variable here, because a signal handler must not.
        _ = isRequested
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { _ in Interrupt.request() }
            #else
            action.__sigaction_handler.sa_handler = { _ in Interrupt.request() }
            #endif
            sigaction(number, &action, nil)
        }
    }
}
