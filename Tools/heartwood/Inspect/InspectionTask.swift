internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodInspection

/// Works on a store's files, with a progress bar on a terminal. The first SIGINT or SIGTERM ends it: at once if it only
/// reads; if it writes, after it has removed what it was writing.
enum InspectionTask {
    /// A signal requested a stop.
    struct Stopped: Error {}

    /// - Parameters:
    ///   - writes: Whether the work must clean up before the process ends.
    ///   - body: The work. It calls its argument now and then.
    /// - Throws: What `body` throws; ``QuietExit`` if it was stopped by a signal.
    static func run<Result: Sendable>(
        writes: Bool = false,
        _ body: @escaping @Sendable (_ progress: @escaping (InspectionProgress) throws -> Void) throws -> Result
    ) async throws -> Result {
        if writes { Signals.noteRequestsToStop() } else { Signals.endAtRequests() }
        Priority.yieldToOthers()
        let tally = InspectionTally()
        let bar = ProgressBar { tally.progress }
        // Detached, because reading blocks a thread, and the bar needs another.
        let work = Task.detached {
            try body { progress in
                tally.note(progress)
                if Signals.requestToStop != nil { throw Stopped() }
            }
        }
        let drawing = Task { await bar.run() }
        let outcome = await work.result
        drawing.cancel()
        bar.end()
        do {
            return try outcome.get()
        } catch is Stopped {
            throw QuietExit(code: 128 + (Signals.requestToStop ?? 0))
        }
    }
}

/// The progress of the work. Set by the thread that does it, read by the progress bar.
final class InspectionTally: Sendable {
    private struct State {
        var newest: InspectionProgress?
        var phaseStart = ContinuousClock.now
    }

    private let state = Locked(State())

    func note(_ progress: InspectionProgress) {
        state.withLock { state in
            if state.newest?.phase != progress.phase { state.phaseStart = .now }
            state.newest = progress
        }
    }

    /// `reading  17,683 records  1.2 GiB  181 MiB/s`; nil before the first report.
    var progress: Progress? {
        let (newest, start) = state.withLock { ($0.newest, $0.phaseStart) }
        guard let newest else { return nil }
        let seconds = (ContinuousClock.now - start).seconds
        return Progress(
            share: Double(newest.bytes) / Double(max(1, newest.totalBytes)),
            parts: [
                newest.phase, Numbers.count(newest.records, "record"), Numbers.bytes(newest.bytes),
                "\(Numbers.bytes(Int(Double(newest.bytes) / max(seconds, 1e-3))))/s",
            ],
            seconds: seconds)
    }
}
