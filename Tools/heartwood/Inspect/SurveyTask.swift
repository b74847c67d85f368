internal import Heartwood
internal import HeartwoodInspection
internal import HeartwoodRepository

/// Reads a store for `inspect`.
struct SurveyTask {
    let path: String
    /// Whether to report single records, and to make the maps fine.
    let isForPage: Bool
    /// What separates the prefixes of keys to report; besides them, the parts of repositories are.
    let separators: Set<UInt8>

    /// The time by which expiry is judged.
    static var now: UInt64 { SystemClock().now().milliseconds }

    /// - Throws: `StoreError`.
    func run() async throws -> StoreSurvey {
        let prefixes = PrefixSelection(separators: separators, sectionLength: StoredKeyGroup.prefixLength)
        var records = RecordSelection()
        records.keyBytes = 128
        return try await InspectionTask.run { [path, isForPage, records] progress in
            try StoreSurvey.make(
                of: path, cells: isForPage ? 1024 : 64, now: Self.now,
                records: isForPage ? records : nil, prefixes: prefixes, progress: progress)
        }
    }
}
