/// What an observation depends on: which changes make it read again.
struct Watch: Sendable, Hashable {
    /// Single keys.
    var keys: [[UInt8]] = []
    /// Changes of these keys.
    var ranges: [KeyRange] = []
    /// Records that are put touch, too, if one of their entries is in `ranges`: a record may change without its entries
    /// being written. One that is removed, or leaves the ranges, has an entry there that is removed.
    var records: KeyLayout?

    /// Every change.
    static let everything = Watch(ranges: [.all])

    func hasInRanges(_ key: [UInt8]) -> Bool {
        key.withUnsafeBytes { key in ranges.contains { $0.contains(key) } }
    }

    /// When the first key expires that is in it.
    nonisolated(nonsending) func nextExpiry(_ view: any KeyValueView) async throws(StoreError) -> Timestamp? {
        var expires: [Timestamp?] = []
        for range in ranges { expires.append(try await view.fetchNextExpiry(in: range)) }
        if !keys.isEmpty { expires += try await view.fetchEntries(of: keys).map { $0?.expires } }
        return expires.compactMap(\.self).min()
    }
}

/// One change, while it is compared with what observations depend on.
struct WatchedChange {
    let change: Change
    /// The keys of the record's entries, by the repository, because few records are decoded more than once.
    private var entries: (layout: KeyLayout, keys: [[UInt8]])?

    init(_ change: Change) { self.change = change }

    /// Whether it is in the ranges of a watch. Its single keys are looked up elsewhere.
    mutating func isInRanges(of watch: Watch) -> Bool {
        if watch.hasInRanges(change.key) { return true }
        guard let layout = watch.records else { return false }
        return entryKeys(layout).contains { watch.hasInRanges($0) }
    }

    private mutating func entryKeys(_ layout: KeyLayout) -> [[UInt8]] {
        if let entries, entries.layout == layout { return entries.keys }
        var keys: [[UInt8]] = []
        if let value = change.value, change.key.starts(with: layout.recordPrefix) {
            let id = layout.id(ofRecord: change.key)
            // What isn't a record has no entries; reading it says what is wrong.
            keys = (try? RecordEnvelope.decode(value).0.entries(layout, id: id).map(\.key)) ?? []
        }
        entries = (layout, keys)
        return keys
    }
}
