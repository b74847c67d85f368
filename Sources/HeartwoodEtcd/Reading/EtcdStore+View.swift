#if Etcd
public import KeyValueStore
import Synchronization

extension EtcdStore {
    /// The store at one moment, until etcd compacts its history.
    public final class View: KeyValueView {
        let store: EtcdStore
        /// What this object's store knew when the view was made.
        private let known: Int64
        private let now: Timestamp
        private let consistency: Configuration.Consistency
        private let state: Mutex<State>

        /// What a read of a key has shown.
        enum Shown: Sendable { case absent, put(Int64) }

        private struct State {
            /// Nil until the first read.
            var revision: Int64?
            /// Whether the first read is under way, and who waits for it.
            var isReading = false
            var waiting: [CheckedContinuation<Void, Never>] = []
            var shown: [HashedBytes: Shown] = [:]
        }

        init(_ store: EtcdStore, _ moment: Moment) {
            (self.store, known) = (store, store.cluster.knownRevision)
            (now, consistency) = (moment.now, moment.consistency)
            state = Mutex(State(revision: moment.revision))
        }

        /// The revision that it shows, from now on also if it hasn't read yet.
        var revision: Int64 {
            state.withLock { state in
                let revision = state.revision ?? known
                state.revision = revision
                return revision
            }
        }

        /// The position after the last write that it shows.
        public var position: ChangePosition { ChangePosition(store: store.id, sequence: UInt64(revision)) }

        /// What a read of a single key has shown; nil if it wasn't read.
        func shown(_ key: [UInt8]) -> Shown? { state.withLock { $0.shown[HashedBytes(key)] } }

        // MARK: Reading

        /// Reads at the view's revision. The first read determines it; others wait for that.
        private nonisolated(nonsending) func read<R>(
            _ body: (Moment) async throws(StoreError) -> (R, Int64)
        ) async throws(StoreError) -> R {
            guard await isFirst() else { return try await body(Moment(revision: revision, now: now)).0 }
            let result: (R, Int64)
            do throws(StoreError) {
                result = try await body(Moment(revision: nil, now: now, consistency: consistency))
            } catch {
                endFirst(nil)
                throw error
            }
            // Unless the position was asked for meanwhile; then the view shows that.
            let revision = endFirst(result.1)
            return revision == result.1 ? result.0 : try await body(Moment(revision: revision, now: now)).0
        }

        /// Whether the caller has to make the first read. Waits while another task makes it.
        private nonisolated(nonsending) func isFirst() async -> Bool {
            while true {
                let isFirst: Bool? = state.withLock { state in
                    if state.revision != nil { return false }
                    if state.isReading { return nil }
                    state.isReading = true
                    return true
                }
                if let isFirst { return isFirst }
                await withCheckedContinuation { continuation in
                    let isOver = state.withLock { state in
                        if state.isReading { state.waiting.append(continuation) }
                        return !state.isReading
                    }
                    if isOver { continuation.resume() }
                }
            }
        }

        /// - Returns: The revision of the view.
        @discardableResult
        private func endFirst(_ revision: Int64?) -> Int64? {
            let (waiting, result) = state.withLock { state in
                state.isReading = false
                if state.revision == nil { state.revision = revision }
                defer { state.waiting = [] }
                return (state.waiting, state.revision)
            }
            for continuation in waiting { continuation.resume() }
            return result
        }

        /// The entries of many keys; see `KeyValueReader`.
        ///
        /// - Complexity: One round trip for every 128 keys, by the default of `serverOperations`.
        public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
            try await read { (moment) throws(StoreError) in
                let (values, revision) = try await store.values(of: keys, at: moment)
                let entries = values.map { $0.flatMap { moment.entry($0, store.layout) } }
                note(keys, entries)
                return (entries, revision)
            }
        }

        private func note(_ keys: [[UInt8]], _ entries: [Entry?]) {
            state.withLock { state in
                for (key, entry) in zip(keys, entries) {
                    state.shown[HashedBytes(key)] = entry.map { .put(Int64($0.sequence)) } ?? .absent
                }
            }
            store.note(entries.lazy.compactMap { $0.map { Int64($0.sequence) } }.max())
        }

        /// Entries of a range; see `KeyValueReader`.
        ///
        /// - Complexity: One round trip for 512 entries, then one for about 4 MiB.
        public nonisolated(nonsending) func fetchEntries(
            in range: KeyRange, reversed: Bool, limit: Int
        ) async throws(StoreError) -> EntryPage {
            try await read { (moment) throws(StoreError) in
                try await store.page(of: range, reversed: reversed, limit: limit, at: moment)
            }
        }

        /// The number of keys of a range; see `KeyValueReader`.
        ///
        /// - Complexity: One round trip. If the store has, or had, keys with an expiry, one for every 8,192 keys.
        public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
            try await read { (moment) throws(StoreError) in try await store.count(of: range, at: moment) }
        }

        /// The first keys of a range; see `KeyValueView`. Values aren't transferred.
        public nonisolated(nonsending) func fetchKeys(
            in range: KeyRange, limit: Int
        ) async throws(StoreError) -> [[UInt8]] {
            try await read { (moment) throws(StoreError) in
                let (values, revision) = try await store.values(in: range, limit: limit, keysOnly: true, at: moment)
                return (values.map { store.layout.key($0.key) }, revision)
            }
        }

        /// When the first key of a range expires; see `KeyValueView`.
        ///
        /// - Complexity: One round trip for every 8,192 keys. Values aren't transferred.
        public nonisolated(nonsending) func fetchNextExpiry(in range: KeyRange) async throws(StoreError) -> Timestamp? {
            try await read { (moment) throws(StoreError) in
                let (values, revision) = try await store.values(in: range, limit: .max, keysOnly: true, at: moment)
                return (values.compactMap(expiry).min(), revision)
            }
        }
    }
}
#endif
