internal import Heartwood
internal import HeartwoodInspection

/// The reading of a store for `inspect`.
struct SurveyTask {
    let path: String
    /// Whether records are to be told one by one, and the maps to be fine.
    let isForPage: Bool

    /// What expiry is judged by.
    static var now: UInt64 { SystemClock().now().milliseconds }

    /// - Throws: `StoreError`.
    func run() async throws -> StoreSurvey {
        try await InspectionTask.run { [path, isForPage] progress in
            try StoreSurvey.make(
                of: path, cells: isForPage ? 1024 : 64, now: Self.now,
                records: isForPage ? RecordSelection() : nil, progress: progress)
        }
    }
}
