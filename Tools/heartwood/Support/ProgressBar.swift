internal import HeartwoodFileSystem

/// How far some work is, as the bar shows it.
struct Progress: Sendable {
    /// How much of it is done, from 0 to 1; nil where nobody knows how much there is.
    var share: Double?
    /// What to say of it, the most important first: of what doesn't fit into the line the last is left out.
    var parts: [String]
    /// How long it has taken so far, by which is told what is left.
    var seconds: Double
}

/// How far some work is, in the last line of the terminal; nothing at all where standard error is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var isShown = false
        /// Set once, at the end: nothing is drawn any more.
        var isOver = false
    }

    private let progress: @Sendable () -> Progress?
    private let isEnabled: Bool
    private let state = Locked(State())

    /// - Parameter progress: Asked ten times a second; while it has nothing to say, nothing is shown.
    init(_ progress: @escaping @Sendable () -> Progress?) {
        self.progress = progress
        isEnabled = FileDescriptor.standardError.isTerminal && Environment["TERM"] != "dumb"
    }

    /// Draws, ten times a second, until the task is cancelled.
    func run() async {
        guard isEnabled else { return }
        while (try? await Task.sleep(for: .milliseconds(100))) != nil {
            guard let progress = progress() else { continue }
            let line = progress.line(columns: FileDescriptor.standardError.columns ?? 80)
            state.withLock { state in
                guard !state.isOver else { return }
                state.isShown = true
                StandardError.write(Array(("\r" + line + "\u{1B}[K").utf8))
            }
        }
    }

    /// Writes a line of its own to standard error, in place of the bar, which comes back by itself.
    func say(_ message: String) {
        state.withLock { state in
            Self.erase(&state)
            StandardError.say(message)
        }
    }

    /// Takes the bar away for good.
    func end() {
        state.withLock { state in
            Self.erase(&state)
            state.isOver = true
        }
    }

    private static func erase(_ state: inout State) {
        if state.isShown { StandardError.write(Array("\r\u{1B}[K".utf8)) }
        state.isShown = false
    }
}

extension Progress {
    /// `[=======>      ]  52 %  17,683 records  2.9 MiB  181,204/s  0:03 left`, as much of it as fits.
    func line(columns: Int) -> String {
        var words: [String] = []
        var timeLeft: [String] = []
        if let share {
            let done = min(max(share, 0), 1)
            let percent = String(Int(done * 100))
            words = ["[\(Self.bar(done))] \(String(repeating: " ", count: 3 - percent.count))\(percent) %"]
            if done > 0.01 { timeLeft = ["\(Numbers.clock(seconds / done * (1 - done))) left"] }
        }
        func text(_ count: Int) -> String { (words + parts.prefix(count) + timeLeft).joined(separator: "  ") }
        var count = parts.count
        while count > 0, text(count).count >= columns { count -= 1 }
        return String(text(count).prefix(max(0, columns - 1)))
    }

    private static func bar(_ done: Double) -> String {
        let width = 24
        let filled = min(width, Int(done * Double(width)))
        return String(repeating: "=", count: filled) + (filled < width ? ">" : "")
            + String(repeating: " ", count: max(0, width - filled - 1))
    }
}
