/// Reads for one query: counts what it reads, and checks the guard key with the first records, or alone.
struct SourceReader {
    let layout: QueryLayout
    private let reader: any KeyValueReader
    /// A key that is read before anything is returned; nil if there is none, or once it was read.
    var guardKey: [UInt8]?
    /// Throws if the entry of the guard key says that the layout no longer describes the store.
    var check: (Entry?) throws(StoreError) -> Void = { _ in }
    private(set) var statistics = QueryPlan.Statistics()

    init(_ reader: any KeyValueReader, _ layout: QueryLayout) { (self.reader, self.layout) = (reader, layout) }

    mutating func count(results: Int) { statistics.results += results }

    /// Call it before anything is returned that wasn't read by `records(of:)`.
    nonisolated(nonsending) mutating func checkGuard() async throws(StoreError) {
        guard let key = guardKey else { return }
        try check(try await reader.fetchEntry(key))
        guardKey = nil
    }

    nonisolated(nonsending) mutating func entries(
        in range: KeyRange, of place: AccessPlan.Step.Place, isReversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        if place == .records { try await checkGuard() }
        let page = try await reader.fetchEntries(in: range, reversed: isReversed, limit: limit)
        note(page.entries.count, of: place)
        return page
    }

    nonisolated(nonsending) mutating func entries(
        of keys: [[UInt8]], at place: AccessPlan.Step.Place
    ) async throws(StoreError) -> [Entry?] {
        var keys = keys
        let isChecking = place == .records && guardKey != nil
        if isChecking, let key = guardKey { keys.append(key) }
        if keys.isEmpty { return [] }
        var entries = try await reader.fetchEntries(of: keys)
        guard entries.count == keys.count else {
            throw StoreError(
                .inputOutput, "the engine returned \(entries.count) entries for \(keys.count) keys: report it as a bug")
        }
        if isChecking, let entry = entries.popLast() {
            try check(entry)
            guardKey = nil
        }
        note(entries.count { $0 != nil }, of: place)
        return entries
    }

    nonisolated(nonsending) func count(in range: KeyRange) async throws(StoreError) -> Int {
        try await reader.fetchCount(in: range)
    }

    private mutating func note(_ count: Int, of place: AccessPlan.Step.Place) {
        if place == .records { statistics.records += count } else { statistics.entries += count }
    }

    func prefix(of place: AccessPlan.Step.Place) -> [UInt8] {
        switch place {
        case .records: layout.recordPrefix
        case .index(let position): layout.indexes[position].entriesPrefix
        }
    }

    /// Whether a step reads the record with this id, which has entries with these keys.
    func names(_ step: AccessPlan.Step, _ id: [UInt8], _ keys: [[UInt8]]) -> Bool {
        if step.place == .records { return step.keys.contains(id) }
        let prefix = prefix(of: step.place)
        return keys.contains { $0.starts(with: prefix) && step.keys.contains(Array($0.dropFirst(prefix.count))) }
    }

    /// The error for damage that was found at an index. If the guard key explains it, that is the error.
    nonisolated(nonsending) mutating func damage(
        of position: Int, _ text: String, cause: StoreError? = nil
    ) async -> StoreError {
        do throws(StoreError) { try await checkGuard() } catch { return error }
        return StoreError(
            .corruption,
            "index \"\(layout.indexes[position].name)\" \(text): verify the repository and build the index again",
            cause: cause)
    }
}
