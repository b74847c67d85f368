internal import HeartwoodConcurrency

/// The progress of some work, as the bar shows it.
struct Progress: Sendable {
    /// The part that is done, from 0 to 1; nil if the total is unknown.
    var share: Double?
    /// What to show, the most important first. If the line is too short, the last parts are left out.
    var parts: [String]
    /// How long it has taken so far. The time left is computed from it.
    var seconds: Double
}

/// Shows progress in the last line of the terminal; nothing if standard error is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var isShown = false
        /// Set once, at the end. After that nothing is drawn.
        var isOver = false
        var drawing: Task<Void, Never>?
    }

    private let progress: @Sendable () -> Progress?
    private let state = Locked(State())

    /// Begins to draw.
    ///
    /// - Parameter progress: Called ten times a second. While it returns nil, nothing is shown.
    init(_ progress: @escaping @Sendable () -> Progress?) {
        self.progress = progress
        guard Style.erasesLines else { return }
        let drawing = Task { [self] in await draw() }
        state.withLock { $0.drawing = drawing }
    }

    private func draw() async {
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

    /// Writes a line to standard error instead of the bar. The next drawing shows the bar again.
    func say(_ message: String) {
        state.withLock { state in
            Self.erase(&state)
            StandardError.say(message)
        }
    }

    /// Removes the bar permanently.
    func end() {
        state.withLock { state in
            Self.erase(&state)
            state.isOver = true
            state.drawing?.cancel()
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
