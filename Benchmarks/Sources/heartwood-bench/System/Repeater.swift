internal import Foundation

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
