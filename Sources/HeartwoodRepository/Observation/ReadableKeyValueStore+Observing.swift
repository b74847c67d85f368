/// Observing keys.
extension ReadableKeyValueStore {
    /// A key with its value, nil while it is absent, and then each newer one.
    ///
    /// ```swift
    /// for try await entry in store.observe("settings/theme") { print(entry?.value ?? []) }
    /// ```
    ///
    /// - Complexity: One read for each change of the key that is looked at. A change of others costs O(1), however many
    ///   keys are observed.
    public func observe(_ key: some ByteSource) -> LiveValues<Entry?> {
        let key = key.byteArray
        return observation(Watch(keys: [key])) { (view) async throws(StoreError) in
            let entry = try await view.fetchEntry(key)
            return (entry, ObservedVersion(entry.map { [$0] } ?? []), entry?.expires)
        }
    }

    /// The entries of a range, in key order, and then each newer ones.
    ///
    /// ```swift
    /// for try await settings in store.observe(in: .prefix("settings/")) { print(settings.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - reversed: Whether the entries begin with the last key.
    ///   - limit: The most entries, at least 1; nil if all.
    /// - Complexity: O(entries) for each change of the range, at most one reading at a time. All entries are in memory.
    public func observe(
        in range: KeyRange, reversed: Bool = false, limit: Int? = nil
    ) -> LiveValues<[Entry]> {
        observation(Watch(ranges: [range])) { (view) async throws(StoreError) in
            var entries: [Entry] = []
            var rest: KeyRange? = range
            while let part = rest {
                let count = min((limit ?? .max) - entries.count, 1_024)
                let page = try await view.fetchEntries(in: part, reversed: reversed, limit: count)
                entries += page.entries
                rest = entries.count < limit ?? .max ? page.next : nil
            }
            return (entries, ObservedVersion(entries), entries.compactMap(\.expires).min())
        }
    }

    /// The number of keys of a range, and then each other one.
    ///
    /// - Complexity: O(keys) for each change of the range.
    public func observeCount(in range: KeyRange) -> LiveValues<Int> {
        let watch = Watch(ranges: [range])
        return observation(watch) { (view) async throws(StoreError) in
            let count = try await view.fetchCount(in: range)
            return (count, ObservedVersion(count: count), try await watch.nextExpiry(view))
        }
    }

    /// What a layer on repositories reads of ranges of theirs.
    ///
    /// - Parameter read: The value, numbers that are equal if values are, and when time alone changes it.
    package func observe<Value: Sendable>(
        _ ranges: [KeyRange],
        _ read:
            nonisolated(nonsending) @escaping @Sendable (any KeyValueView) async throws(StoreError) -> (
                Value, numbers: [Int], expires: Timestamp?
            )
    ) -> LiveValues<Value> {
        observation(Watch(ranges: ranges), scope: .typedLayer) { (view) async throws(StoreError) in
            let (value, numbers, expires) = try await read(view)
            let records = numbers.map { ObservedVersion.Record(id: [], sequence: SequenceNumber($0)) }
            return (value, ObservedVersion(records: records), expires)
        }
    }

    private func observation<Value: Sendable>(
        _ watch: Watch, scope: KeyRange = .all,
        _ read:
            nonisolated(nonsending) @escaping @Sendable (any KeyValueView) async throws(StoreError) -> (
                Value, ObservedVersion, Timestamp?
            )
    ) -> LiveValues<Value> {
        LiveValues(
            source: ObservationSource(store: self, scope: scope, watch: watch) { () async throws(StoreError) in
                while true {
                    do throws(StoreError) {
                        let view: any KeyValueView = try await self.readView(for: .observation)
                        let (value, version, expires) = try await read(view)
                        return ObservationSource.State(
                            value: value, version: version, position: view.position, expires: expires, watch: watch)
                    } catch {
                        guard error.code == .viewEnded else { throw error }
                    }
                }
            })
    }
}

extension ObservedVersion {
    init(_ entries: [Entry]) {
        records = entries.map { Record(id: $0.key, sequence: $0.sequence) }
    }
}
