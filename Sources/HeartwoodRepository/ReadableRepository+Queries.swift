/// Queries. Each call reads one moment, unless it says otherwise. If the engine ends the view meanwhile, the call
/// begins again.
///
/// All throw `.undecodable` for a record that doesn't decode, `.newerModel` for one of a newer version, `.corruption`
/// for an index that names a record that is missing, `.cancelled` if the task is cancelled, what a predicate throws as
/// the cause of `.invalidArgument`, and what reading throws. With `onUndecodable`, a record that doesn't decode or is
/// missing is reported to it and left out instead.
extension ReadableRepository {
    /// The results of a query.
    ///
    /// ```swift
    /// let query = Query<City>(where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
    /// let largest = try await cities.fetch(query)
    /// ```
    ///
    /// - Complexity: That of the plan, which ``explain(_:)`` tells; all results are in memory.
    public nonisolated(nonsending) func fetch(
        _ query: Query<Model>, onUndecodable: ((StoreError) -> Void)? = nil
    ) async throws(StoreError) -> [Model] {
        try await readOnly.core.reading { (source) async throws(StoreError) in
            try await source.fetch(query, onUndecodable: onUndecodable)
        }
    }

    /// The results of a query that is written in the call.
    ///
    /// ```swift
    /// let capitals = try await cities.fetch(where: \.isCapital == true && \.population > 1_000_000)
    /// ```
    public nonisolated(nonsending) func fetch(
        where filter: Filter<Model>, sort: [Sort<Model>] = [], limit: Int? = nil, offset: Int = 0
    ) async throws(StoreError) -> [Model] {
        try await fetch(Query(where: filter, sort: sort, limit: limit, offset: offset))
    }

    /// The first result; nil if there is none.
    public nonisolated(nonsending) func first(
        where filter: Filter<Model>, sort: [Sort<Model>] = []
    ) async throws(StoreError) -> Model? {
        try await fetch(Query(where: filter, sort: sort, limit: 1)).first
    }

    /// All records, by id.
    ///
    /// - Complexity: O(records), all in memory.
    public nonisolated(nonsending) func loadAll(
        onUndecodable: ((StoreError) -> Void)? = nil
    ) async throws(StoreError) -> [Model] {
        try await fetch(Query(), onUndecodable: onUndecodable)
    }

    /// Some results, and a cursor to the next ones, with which any later call continues; see ``QueryCursor``.
    ///
    /// - Parameters:
    ///   - query: Its limit doesn't count. Its offset counts without a cursor.
    ///   - limit: The most results of the page, at least 1.
    ///   - cursor: ``QueryPage/next`` of a page of the same query; nil for the first page.
    ///   - onUndecodable: Called for records that don't decode, which are then left out; if nil, they are errors.
    /// - Throws: `.invalidArgument` for a cursor of another query or a limit below 1.
    public nonisolated(nonsending) func page(
        _ query: Query<Model>, limit: Int, after cursor: QueryCursor? = nil,
        onUndecodable: ((StoreError) -> Void)? = nil
    ) async throws(StoreError) -> QueryPage<Model> {
        try await readOnly.core.reading { (source) async throws(StoreError) in
            try await source.page(query, limit: limit, after: cursor, onUndecodable: onUndecodable)
        }
    }

    /// The number of results, from an index alone where that is enough.
    public nonisolated(nonsending) func count(
        _ query: Query<Model>, onUndecodable: ((StoreError) -> Void)? = nil
    ) async throws(StoreError) -> Int {
        try await readOnly.core.reading { (source) async throws(StoreError) in
            try await source.count(query, onUndecodable: onUndecodable)
        }
    }

    /// The number of records that pass a filter, from an index alone where that is enough.
    public nonisolated(nonsending) func count(where filter: Filter<Model>) async throws(StoreError) -> Int {
        try await count(Query(where: filter))
    }

    /// The smallest value of a property, without nil and NaN; nil if there is none.
    ///
    /// - Complexity: One read if an index begins with the property, or has it after what the filter fixes; otherwise
    ///   O(records).
    public nonisolated(nonsending) func minimum<Value: TupleElement>(
        of path: any KeyPath<Model, Value> & Sendable, where filter: Filter<Model> = .all
    ) async throws(StoreError) -> Value? {
        try await readOnly.core.reading { (source) async throws(StoreError) in
            try await source.extreme(isMaximum: false, of: path, where: filter)
        }
    }

    /// The largest value of a property, without nil and NaN; nil if there is none.
    ///
    /// - Complexity: As ``minimum(of:where:)``.
    public nonisolated(nonsending) func maximum<Value: TupleElement>(
        of path: any KeyPath<Model, Value> & Sendable, where filter: Filter<Model> = .all
    ) async throws(StoreError) -> Value? {
        try await readOnly.core.reading { (source) async throws(StoreError) in
            try await source.extreme(isMaximum: true, of: path, where: filter)
        }
    }

    /// How a query runs: runs it, and tells which index it used and how many entries and records it looked at.
    ///
    /// ```swift
    /// print(try await cities.explain(query))
    /// ```
    ///
    /// - Complexity: That of the query.
    public nonisolated(nonsending) func explain(_ query: Query<Model>) async throws(StoreError) -> QueryPlan {
        var plan = plan(for: query)
        try await readOnly.core.reading { (source) async throws(StoreError) in
            _ = try await source.fetch(query, explain: { plan = $0 })
        }
        return plan
    }

    /// How a query would run now. Reads nothing.
    public func plan(for query: Query<Model>) -> QueryPlan {
        // A plan asks nothing of what it would read.
        readOnly.core.source(readOnly.core.base.store, readOnly.core.base.catalogued).plan(for: query)
    }

    /// The results of a query one after the other.
    ///
    /// ```swift
    /// for try await city in cities.results(of: Query(where: \.country == "IS")) { print(city.name) }
    /// ```
    ///
    /// They are of one moment as long as the engine keeps it. If it ends the view, they continue behind the last one
    /// with a new view. Stopping early reads little more than what was delivered.
    public func results(
        of query: Query<Model> = Query(), onUndecodable: (@Sendable (StoreError) -> Void)? = nil
    ) -> QueryResults<Model> {
        QueryResults(core: readOnly.core, query: query, onUndecodable: onUndecodable)
    }
}

/// Queries in a transaction: they see what it has written, and what they have read of the keys is a condition of the
/// commit.
extension Repository {
    /// The results of a query, as the transaction sees them.
    public nonisolated(nonsending) func fetch(
        _ query: Query<Model>, in transaction: Transaction
    ) async throws(StoreError) -> [Model] {
        try await source(transaction).fetch(query)
    }

    /// The number of results, as the transaction sees them.
    public nonisolated(nonsending) func count(
        _ query: Query<Model>, in transaction: Transaction
    ) async throws(StoreError) -> Int {
        try await source(transaction).count(query)
    }

    private nonisolated(nonsending) func source(
        _ transaction: Transaction
    ) async throws(StoreError) -> QuerySource<Model> {
        let catalogued = try await core.base.beginQuery(transaction)
        var source = core.source(
            transaction, catalogued, omitting: try await core.base.contestedIndexes(transaction))
        source.mayWalk = false
        // The catalogue is a condition of the commit.
        source.reader.guardKey = nil
        return source
    }

    /// Deletes the records that pass a filter, in batches, each of which is atomic. A record that changes meanwhile so
    /// that it doesn't pass any longer stays; one that begins to pass may stay, too.
    ///
    /// - Returns: How many were deleted.
    /// - Complexity: That of the query, which runs once and sorts nothing, and one write for some hundred records.
    @discardableResult
    public nonisolated(nonsending) func delete(
        where filter: Filter<Model>, durability: Durability? = nil
    ) async throws(StoreError) -> Int {
        try Transaction.checkOutside(of: store)
        let program = filter.tree.program
        var count = 0
        try await core.reading { (source) async throws(StoreError) in
            var run = try QueryRun(Query(where: filter), source, isOrdered: false)
            while let results = try await run.next() {
                for start in stride(from: 0, to: results.count, by: core.base.pageSize) {
                    let keys = results[start...].prefix(core.base.pageSize).map { core.base.layout.recordKey($0.id) }
                    count += try await delete(keys, program, durability)
                }
            }
        }
        return count
    }

    private nonisolated(nonsending) func delete(
        _ keys: [[UInt8]], _ filter: FilterProgram<Model>, _ durability: Durability?
    ) async throws(StoreError) -> Int {
        var count = 0
        try await core.base.inPieces(keys[...]) { (keys) async throws(StoreError) in
            var deleted = 0
            try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
                deleted = try await delete(Array(keys), filter, transaction)
            }
            count += deleted
        }
        return count
    }

    private nonisolated(nonsending) func delete(
        _ keys: [[UInt8]], _ filter: FilterProgram<Model>, _ transaction: Transaction
    ) async throws(StoreError) -> Int {
        var encoder = TupleEncoder()
        var passing: [[UInt8]] = []
        for entry in try await transaction.fetchEntries(of: keys) {
            guard let entry else { continue }
            let model = try core.model(entry)
            do {
                if try filter.passes(model, &encoder) { passing.append(entry.key) }
            } catch {
                throw StoreError(.invalidArgument, "a predicate could not be evaluated: correct it", cause: error)
            }
        }
        try await core.base.delete(passing, transaction)
        return passing.count
    }
}
