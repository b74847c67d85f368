internal import Synchronization

extension ConstrainedStore {
    /// The store at one moment, until the engine ends the view.
    public final class View: KeyValueView {
        /// The position after the last write that it shows.
        public let position: ChangePosition
        let cluster: ConstrainedCluster
        /// How many writes had happened, and how many compactions.
        let writes: Int
        let compactions: Int
        let hasEnded = Atomic(false)
        private let handle: Handle

        init(
            _ cluster: ConstrainedCluster, _ handle: Handle, _ position: ChangePosition, writes: Int, compactions: Int
        ) {
            (self.cluster, self.handle, self.position) = (cluster, handle, position)
            (self.writes, self.compactions) = (writes, compactions)
        }

        /// The entries of many keys; see ``KeyValueReader/fetchEntries(of:)``.
        public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
            try await cluster.entries(of: keys, in: self, of: handle)
        }

        /// Entries of a range; see ``KeyValueReader/fetchEntries(in:reversed:limit:)``.
        public nonisolated(nonsending) func fetchEntries(
            in range: KeyRange, reversed: Bool, limit: Int
        ) async throws(StoreError) -> EntryPage {
            try await cluster.page(of: range, reversed: reversed, limit: limit, in: self, of: handle)
        }

        /// The number of keys of a range; see ``KeyValueReader/fetchCount(in:)``.
        public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
            try await cluster.count(of: range, in: self, of: handle)
        }
    }
}
