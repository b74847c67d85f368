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
        var isRunning = false
    }

    private let state = Mutex(State())
    private let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Starts the display.
    ///
    /// - Parameter estimates: Estimated seconds of each step.
    func begin(_ estimates: [Double]) {
        state.withLock { state in
            state = State(estimates: estimates, began: Ticks.now, stepBegan: Ticks.now, isRunning: true)
        }
        guard isTerminal else { return }
        Thread { [self] in
            while state.withLock({ state in draw(state) }) { Thread.sleep(forTimeInterval: 1) }
        }.start()
    }

    /// Shows the step that has begun, counted from 0.
    func show(step: Int, _ title: String) {
        state.withLock { state in
            let isOfNewRow = title.split(separator: ",").first != state.title.split(separator: ",").first
            state.step = step
            state.title = title
            state.stepBegan = Ticks.now
            if isTerminal {
                _ = draw(state)
            } else if isOfNewRow {
                Self.write("\(title.split(separator: ",").first ?? "") (\(step + 1) of \(state.estimates.count))\n")
            }
        }
    }

    /// Prints a line that stays.
    func note(_ text: String) {
        state.withLock { state in
            Self.write("\(isTerminal ? "\r\u{1B}[K" : "")\(text)\n")
            if isTerminal { _ = draw(state) }
        }
    }

    /// Removes the line.
    func end() {
        state.withLock { state in
            guard state.isRunning else { return }
            state.isRunning = false
            if isTerminal { Self.write("\r\u{1B}[K") }
        }
    }

    private func draw(_ state: State) -> Bool {
        guard state.isRunning else { return false }
        var parts = ["run \(state.step + 1) of \(state.estimates.count)", state.title]
        if Interrupt.isRequested {
            parts.append("stopping")
        } else {
            let left = Self.secondsLeft(
                state.estimates, step: state.step, elapsed: Ticks.seconds(from: state.began, to: Ticks.now),
                ofStep: Ticks.seconds(from: state.stepBegan, to: Ticks.now))
            parts.append("about \(Self.clock(left)) left")
        }
        Self.write("\r" + parts.joined(separator: " · ") + "\u{1B}[K")
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

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        if whole >= 3_600 { return "\(whole / 3_600) h \(whole % 3_600 / 60) min" }
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    private static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
