internal import Heartwood
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
        let tally = Tally<InspectionProgress>()
        let bar = ProgressBar { tally.progress }
        defer { bar.end() }
        do {
            // Detached, because reading blocks a thread, and the bar needs another.
            return try await Task.detached {
                try body { progress in
                    tally.note(progress)
                    if Signals.requestToStop != nil { throw Stopped() }
                }
            }.value
        } catch is Stopped {
            throw QuietExit.stopped
        }
    }
}
