internal import Heartwood
internal import HeartwoodInspection

/// Reads a store for `inspect`.
struct SurveyTask {
    let path: String
    /// Whether to report single records, and to make the maps fine.
    let isForPage: Bool
    /// Which prefixes of keys to report; nil for none.
    var prefixes: PrefixSelection?

    /// The time by which expiry is judged.
    static var now: UInt64 { SystemClock().now().milliseconds }

    /// - Throws: `StoreError`.
    func run() async throws -> StoreSurvey {
        try await InspectionTask.run { [path, isForPage, prefixes] progress in
            try StoreSurvey.make(
                of: path, cells: isForPage ? 1024 : 64, now: Self.now,
                records: isForPage ? RecordSelection() : nil, prefixes: prefixes, progress: progress)
        }
    }
}
