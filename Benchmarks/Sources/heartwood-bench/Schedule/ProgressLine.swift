internal import Foundation
internal import Synchronization

/// The progress of a run with the remaining time, in the last line of the terminal, updated every second. If standard
/// error is no terminal: a line for each row.
final class ProgressLine: Sendable {
    private struct State {
        var estimates: [Double] = []
        var step = 0
        var title = ""
        var began: UInt64 = 0
        var stepBegan: UInt64 = 0
        var row: Substring { title.prefix { $0 != "," } }
    }

    private let state = Mutex<State?>(nil)
    private let isTerminal = Style.erasesLines

    /// Starts the display.
    ///
    /// - Parameter estimates: Estimated seconds of each step.
    func begin(_ estimates: [Double]) {
        state.withLock { $0 = State(estimates: estimates, began: Ticks.now, stepBegan: Ticks.now) }
        guard isTerminal else { return }
        Thread { [self] in
            while state.withLock({ draw($0) }) { Thread.sleep(forTimeInterval: 1) }
        }.start()
    }

    /// Shows the step that has begun, counted from 0.
    func show(step: Int, _ title: String) {
        state.withLock { state in
            guard var now = state else { return }
            let row = now.row
            (now.step, now.title, now.stepBegan) = (step, title, Ticks.now)
            state = now
            if !draw(now), now.row != row { Self.write("\(now.row) (\(step + 1) of \(now.estimates.count))\n") }
        }
    }

    /// Prints a line that stays.
    func note(_ text: String) {
        state.withLock { state in
            Self.write("\(isTerminal ? "\r\u{1B}[K" : "")\(text)\n")
            _ = draw(state)
        }
    }

    /// Removes the line.
    func end() {
        state.withLock { $0 = nil }
        if isTerminal { Self.write("\r\u{1B}[K") }
    }

    /// Returns false if nothing is to be drawn.
    private func draw(_ state: State?) -> Bool {
        guard isTerminal, let state else { return false }
        let left = Self.secondsLeft(
            state.estimates, step: state.step, elapsed: Ticks.seconds(from: state.began),
            ofStep: Ticks.seconds(from: state.stepBegan))
        let time = Interrupt.isRequested ? "stopping" : "about \(Numbers.clock(left)) left"
        Self.write("\rrun \(state.step + 1) of \(state.estimates.count) · \(state.title) · \(time)\u{1B}[K")
        return true
    }

    /// The remaining time: the estimate for the remaining steps, corrected by how much longer the completed steps took
    /// than estimated.
    static func secondsLeft(_ estimates: [Double], step: Int, elapsed: Double, ofStep: Double) -> Double {
        let done = estimates[..<step].reduce(0, +)
        let rest = estimates[step...].reduce(0, +)
        // With 60 seconds added to both, because the first steps say little.
        let factor = (elapsed - ofStep + 60) / (done + 60)
        return max(0, rest * factor - min(ofStep, (estimates.dropFirst(step).first ?? 0) * factor))
    }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
