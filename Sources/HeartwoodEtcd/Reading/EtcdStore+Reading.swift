#if Etcd
public import KeyValueStore

extension EtcdStore {
    private var newest: Moment { Moment(revision: nil, now: now, consistency: configuration.reads) }

    /// The entries of many keys; see `KeyValueReader`.
    ///
    /// - Complexity: One round trip for every 128 keys, by the default of `serverOperations`.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await again { (moment) throws(StoreError) in
            let values = try await values(of: keys, at: moment).values
            note(values.lazy.compactMap { $0?.modRevision }.max())
            return values.map { $0.flatMap { moment.entry($0, layout) } }
        }
    }

    /// Entries of a range; see `KeyValueReader`.
    ///
    /// - Complexity: One round trip for 512 entries, then one for about 4 MiB.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        try await again { (moment) throws(StoreError) in
            try await page(of: range, reversed: reversed, limit: limit, at: moment).page
        }
    }

    /// The number of keys of a range; see `KeyValueReader`.
    ///
    /// - Complexity: One round trip. If the store has, or had, keys with an expiry, one for every 8,192 keys.
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        try await again { (moment) throws(StoreError) in try await count(of: range, at: moment).count }
    }

    /// Begins again if etcd compacts its history between two parts of a read.
    private nonisolated(nonsending) func again<R>(
        _ read: (Moment) async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        for _ in 0..<10 {
            do throws(StoreError) {
                return try await read(newest)
            } catch {
                if error.code != .viewEnded { throw error }
            }
        }
        return try await read(newest)
    }

    /// The store as it is now; see `ReadableKeyValueStore`.
    ///
    /// - Complexity: One round trip.
    public nonisolated(nonsending) func readView() async throws(StoreError) -> View {
        let moment = newest
        return View(self, moment.at(try await newestRevision(moment)))
    }

    /// A view for a purpose. One for a transaction or an answer shows the moment of its first read, so it costs no
    /// round trip of its own; for an answer it reads as the configuration says.
    ///
    /// If the position of one for a transaction is asked for before it has read, or a condition uses it, it shows what
    /// this object knew when the view was made.
    public nonisolated(nonsending) func readView(for purpose: ViewPurpose) async throws(StoreError) -> View {
        switch purpose {
        case .observation: return try await readView()
        case .transaction:
            try checkOpen()
            return View(self, Moment(revision: nil, now: now))
        case .answer:
            try checkOpen()
            return View(self, newest)
        }
    }
}
#endif
