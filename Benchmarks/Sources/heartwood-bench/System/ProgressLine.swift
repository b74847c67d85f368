internal import Foundation
internal import Synchronization

/// How far the run is, in the last line of the terminal; nothing where standard error is no terminal.
///
/// Drawn once a second by a thread of its own: the tasks that are measured never wait for it.
final class ProgressLine: Sendable {
    private struct State {
        var steps = 0
        var step = 0
        var title = ""
        var began: UInt64 = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    private let isEnabled = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// Starts to draw.
    func begin(steps: Int) {
        guard isEnabled else { return }
        state.withLock { state in
            state = State(steps: steps, began: Ticks.now, isRunning: true)
        }
        Thread { [self] in
            while state.withLock({ state in draw(state) }) { Thread.sleep(forTimeInterval: 1) }
        }.start()
    }

    /// Tells which run has begun, counted from 0.
    func show(step: Int, _ title: String) {
        guard isEnabled else { return }
        state.withLock { state in
            state.step = step
            state.title = title
            _ = draw(state)
        }
    }

    /// Takes the line away.
    func end() {
        guard isEnabled else { return }
        state.withLock { state in
            guard state.isRunning else { return }
            state.isRunning = false
            Self.write("\r\u{1B}[K")
        }
    }

    private func draw(_ state: State) -> Bool {
        guard state.isRunning else { return false }
        let elapsed = Ticks.seconds(from: state.began, to: Ticks.now)
        var parts = ["run \(state.step + 1) of \(state.steps)", state.title, "\(Self.clock(elapsed)) gone"]
        if Interrupt.isRequested {
            parts.append("stopping")
        } else if state.step > 0 {
            // The run under way has taken a part of its own time already; on average half of it.
            let left = elapsed / (Double(state.step) + 0.5) * (Double(state.steps - state.step) - 0.5)
            parts.append("about \(Self.clock(left)) left")
        }
        Self.write("\r" + parts.joined(separator: " · ") + "\u{1B}[K")
        return true
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    private static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
