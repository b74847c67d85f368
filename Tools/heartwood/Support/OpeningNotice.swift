internal import Heartwood
internal import HeartwoodConcurrency

/// Shows the progress of an opening on a terminal, if it takes long.
final class OpeningNotice: Sendable {
    private static let delay: Duration = .milliseconds(500)
    private static let interval: Duration = .milliseconds(100)

    private struct State {
        var isShown = false
        var next: ContinuousClock.Instant
    }

    private let state = Locked(State(next: .now + OpeningNotice.delay))

    /// A notice; nil if standard error is no terminal.
    init?() {
        guard FileDescriptor.standardError.isTerminal, Environment["TERM"] != "dumb" else { return nil }
    }

    func show(_ progress: RecoveryProgress) {
        state.withLock { state in
            guard ContinuousClock.now >= state.next else { return }
            state.next = .now + Self.interval
            state.isShown = true
            let percent = progress.bytes * 100 / max(progress.totalBytes, 1)
            let text = "\ropening: \(min(percent, 100)) %, \(Numbers.count(progress.records, "record"))\u{1B}[K"
            StandardError.write(Array(text.utf8))
        }
    }

    /// Removes the notice.
    func end() {
        state.withLock { state in
            if state.isShown { StandardError.write(Array("\r\u{1B}[K".utf8)) }
            state.isShown = false
        }
    }
}
