/// The results of a query, one after the other; see ``ReadableRepository/results(of:onUndecodable:)``.
public struct QueryResults<Model: Codable & Identifiable & Sendable>: AsyncSequence, Sendable
where Model.ID: Codable & SendableMetatype {
    let core: RepositoryCore<Model>
    let query: Query<Model>
    let onUndecodable: (@Sendable (StoreError) -> Void)?

    /// An iterator before the first result. O(1).
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(core: core, query: query, onUndecodable: onUndecodable)
    }

    /// Reads one result after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let core: RepositoryCore<Model>
        /// Its limit is what is left of it.
        fileprivate var query: Query<Model>
        fileprivate let onUndecodable: (@Sendable (StoreError) -> Void)?
        private var run: QueryRun<Model>?
        private var results: ArraySlice<QueryResult<Model>> = []
        /// The last result that was delivered or is in `results`.
        private var last: QueryResult<Model>?
        private var isDone = false

        fileprivate init(
            core: RepositoryCore<Model>, query: Query<Model>, onUndecodable: (@Sendable (StoreError) -> Void)?
        ) {
            (self.core, self.query, self.onUndecodable) = (core, query, onUndecodable)
        }

        /// The next result; nil at the end.
        ///
        /// - Throws: `.undecodable`, `.cancelled`, `.corruption`, and what reading throws. After an error, later calls
        ///   return nil.
        public nonisolated(nonsending) mutating func next() async throws(StoreError) -> Model? {
            try await next(isolation: #isolation)
        }

        /// The next result, on the actor that is passed, as `for await` calls it.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Model? {
            if let result = results.popFirst() { return result.model }
            if isDone { return nil }
            isDone = true
            guard let page = try await load(), !page.isEmpty else { return nil }
            isDone = false
            results = page[...]
            return results.popFirst()?.model
        }

        private nonisolated(nonsending) mutating func load() async throws(StoreError) -> [QueryResult<Model>]? {
            var backoff = ConflictBackoff(isRemote: core.base.hasOtherWriters)
            while true {
                do throws(StoreError) {
                    if run == nil {
                        var cursor: QueryCursor?
                        if let last { cursor = try QueryCursor(query, query.sortParts(of: last)) }
                        let catalogued = core.base.catalogued
                        let source = core.source(try await core.base.store.readView(), catalogued)
                        run = try QueryRun(
                            query, source, after: cursor, isStream: true, onUndecodable: onUndecodable)
                    }
                    let page = try await run?.next()
                    last = page?.last ?? last
                    if let limit = query.limit { query.limit = limit - (page?.count ?? 0) }
                    return page
                } catch {
                    guard error.code == .viewEnded || error.isCatalogueChange else { throw error }
                    run = nil
                }
                await backoff.wait()
            }
        }
    }
}
