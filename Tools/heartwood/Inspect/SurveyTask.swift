internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodInspection

/// The reading of a store for `inspect`, with a progress bar where somebody sees it.
struct SurveyTask {
    let path: String
    /// Whether records are to be told one by one, and the maps to be fine.
    let isForPage: Bool

    /// What expiry is judged by.
    static var now: UInt64 { SystemClock().now().milliseconds }

    /// - Throws: ``Failure`` with ``ExitStatus/noStore``; `StoreError`.
    func run() async throws -> StoreSurvey {
        let tally = SurveyTally()
        let progress = ProgressBar { tally.progress }
        // Detached: reading holds a thread, and the bar needs another.
        let work = Task.detached { [path, isForPage] in
            try StoreSurvey.make(
                of: path, cells: isForPage ? 1024 : 64, now: Self.now, records: isForPage ? RecordSelection() : nil
            ) { tally.note($0) }
        }
        let drawing = Task { await progress.run() }
        let outcome = await work.result
        drawing.cancel()
        progress.end()
        do {
            return try outcome.get()
        } catch let error as StoreError where error.code == .notFound {
            throw Failure(.noStore, "there is no store and no file here: \(path): check the path")
        }
    }
}

/// How far a survey is; told by the thread that reads, read by the progress bar.
final class SurveyTally: Sendable {
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

    /// `reading  52 %  17,683 records  181 MiB/s`; nil before anything was told.
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
