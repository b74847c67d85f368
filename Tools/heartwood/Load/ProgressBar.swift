internal import HeartwoodFileSystem

/// How far a load is, in the last line of the terminal; nothing at all where standard error is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var isShown = false
        /// Set once, at the end: nothing is drawn any more.
        var isOver = false
    }

    private let file: InputFile
    private let tally: LoadTally
    private let isEnabled: Bool
    private let state = Locked(State())

    init(_ file: InputFile, _ tally: LoadTally) {
        self.file = file
        self.tally = tally
        isEnabled = FileDescriptor.standardError.isTerminal && Environment["TERM"] != "dumb"
    }

    /// Draws, ten times a second, until the task is cancelled.
    func run() async {
        guard isEnabled else { return }
        while (try? await Task.sleep(for: .milliseconds(100))) != nil {
            let line = line(columns: FileDescriptor.standardError.columns ?? 80)
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

    /// `[=======>      ]  52 %  17,683 records  2.9 MiB  181,204/s  0:03 left`, as much of it as fits.
    private func line(columns: Int) -> String {
        var parts = [
            Numbers.count(tally.records, "record"), Numbers.bytes(tally.bytes),
            "\(Numbers.grouped(Int(tally.recordsPerSecond)))/s",
        ]
        var bar = ""
        if let size = file.size, size > 0 {
            let done = min(1, Double(file.bytesRead) / Double(size))
            let percent = String(Int(done * 100))
            bar = "[\(Self.bar(done))] \(String(repeating: " ", count: 3 - percent.count))\(percent) %  "
            if done > 0.01 { parts.append("\(Numbers.clock(tally.seconds / done * (1 - done))) left") }
        }
        return String((bar + parts.joined(separator: "  ")).prefix(max(0, columns - 1)))
    }

    private static func bar(_ done: Double) -> String {
        let width = 24
        let filled = min(width, Int(done * Double(width)))
        return String(repeating: "=", count: filled) + (filled < width ? ">" : "")
            + String(repeating: " ", count: max(0, width - filled - 1))
    }
}
