/// Some results of a query, and where to read on.
///
/// ```swift
/// var cursor: QueryCursor?
/// repeat {
///     let page = try await cities.page(query, limit: 50, after: cursor)
///     show(page.models)
///     cursor = page.next
/// } while cursor != nil
/// ```
public struct QueryPage<Model: Sendable>: Sendable {
    /// The results, in order.
    public let models: [Model]
    /// The position after the last one; nil if no result follows.
    public let next: QueryCursor?
}

extension QuerySource {
    /// All results.
    ///
    /// - Parameter explain: Gets the plan, with what was looked at.
    /// - Throws: As ``QueryRun/next()``.
    nonisolated(nonsending) func fetch(
        _ query: Query<Model>, explain: ((QueryPlan) -> Void)? = nil, onUndecodable: ((StoreError) -> Void)? = nil
    ) async throws(StoreError) -> [Model] {
        var run = try QueryRun(query, self, onUndecodable: onUndecodable)
        var models: [Model] = []
        while let results = try await run.next() {
            for result in results { models.append(result.model) }
        }
        explain?(run.explanation)
        return models
    }

    /// The next results, at most `limit`, which replaces that of the query.
    ///
    /// - Throws: `.invalidArgument` if the cursor is one of another query or the limit is less than 1; otherwise as
    ///   ``QueryRun/next()``.
    nonisolated(nonsending) func page(
        _ query: Query<Model>, limit: Int, after cursor: QueryCursor? = nil,
        onUndecodable: ((StoreError) -> Void)? = nil
    ) async throws(StoreError) -> QueryPage<Model> {
        guard limit > 0 else {
            throw StoreError(.invalidArgument, "a page has a limit of \(limit): ask for at least one result")
        }
        var query = query
        // One more tells whether there is a next page.
        query.limit = min(limit, .max - 1) + 1
        var run = try QueryRun(query, self, after: cursor, onUndecodable: onUndecodable)
        var results: [QueryResult<Model>] = []
        while let next = try await run.next() { results += next }
        let models = results.prefix(limit).map { $0.model }
        guard results.count > limit else { return QueryPage(models: models, next: nil) }
        return QueryPage(models: models, next: try QueryCursor(query, query.sortParts(of: results[limit - 1])))
    }

    /// The number of results: from the keys alone where they decide, otherwise by reading.
    ///
    /// - Throws: As ``QueryRun/next()``.
    nonisolated(nonsending) func count(
        _ query: Query<Model>, onUndecodable: ((StoreError) -> Void)? = nil
    ) async throws(StoreError) -> Int {
        var query = query
        query.sort = []
        let access = layout.planner.plan(try query.filter.tree.node(), [])
        guard !access.isFiltering else {
            // Several steps may find the same record.
            var run = try QueryRun(query, self, isOrdered: access.steps.count > 1, onUndecodable: onUndecodable)
            var count = 0
            while let results = try await run.next() { count += results.count }
            return count
        }
        var reader = reader
        try await reader.checkGuard()
        let found = try await countKeys(access, &reader)
        return min(max(found - max(query.offset, 0), 0), max(query.limit ?? .max, 0))
    }

    private nonisolated(nonsending) func countKeys(
        _ access: AccessPlan, _ reader: inout SourceReader
    ) async throws(StoreError) -> Int {
        var count = 0
        if access.steps.count == 1, let step = access.steps.first {
            let prefix = reader.prefix(of: step.place)
            guard step.isLookup else {
                for span in step.keys.spans { count += try await reader.count(in: span.keyRange(after: prefix)) }
                return count
            }
            let keys = step.keys.spans.map { prefix + $0.lower }
            for start in stride(from: 0, to: keys.count, by: QueryRun<Model>.largestPage) {
                let page = Array(keys[start..<min(start + QueryRun<Model>.largestPage, keys.count)])
                count += try await reader.entries(of: page, at: step.place).count { $0 != nil }
            }
            return count
        }
        // Several steps may find the same record.
        var candidates = CandidateReader(access)
        var seen: Set<[UInt8]> = []
        var unread: [[UInt8]] = []
        while let page = try await candidates.next(QueryRun<Model>.largestPage, &reader) {
            for candidate in page where seen.insert(candidate.id).inserted {
                if candidate.index == nil, candidate.record == nil {
                    unread.append(layout.recordPrefix + candidate.id)
                } else {
                    count += 1
                }
            }
        }
        return count + (try await reader.entries(of: unread, at: .records).count { $0 != nil })
    }

    /// The smallest or the largest value of a property among the models that pass a filter; nil if there is none. Nil
    /// and NaN don't count. Read from the first or last key of an index where one is in that order, otherwise by a
    /// query with the limit 1.
    ///
    /// - Throws: As ``QueryRun/next()``.
    nonisolated(nonsending) func extreme<Value: TupleElement>(
        isMaximum: Bool, of path: any KeyPath<Model, Value> & Sendable, where filter: Filter<Model> = .all
    ) async throws(StoreError) -> Value? {
        let values = ElementKind.of(Value.self).comparable
        if let (step, skipped) = layout.planner.extreme(
            of: PropertyPath(path), in: values, try filter.tree.node())
        {
            guard let found = try await extreme(isMaximum: isMaximum, step, skipped) else { return nil }
            var decoder = TupleDecoder(found)
            return try Value(from: &decoder)
        }
        let hasValue = Filter(path, in: values) { "\(PropertyPath(path).name) is neither nil nor NaN" }
        let query = Query(
            where: filter && hasValue, sort: [isMaximum ? .descending(path) : .ascending(path)], limit: 1)
        return try await fetch(query).first?[keyPath: path]
    }

    /// The element after `skipped` others in the keys of a step: the smallest or the largest one.
    private nonisolated(nonsending) func extreme(
        isMaximum: Bool, _ step: AccessPlan.Step, _ skipped: Int
    ) async throws(StoreError) -> [UInt8]? {
        var reader = reader
        try await reader.checkGuard()
        var best: [UInt8]?
        let prefix = reader.prefix(of: step.place)
        for span in isMaximum ? step.keys.spans.reversed() : step.keys.spans {
            let range = span.keyRange(after: prefix)
            let page = try await reader.entries(in: range, of: step.place, isReversed: isMaximum, limit: 1)
            guard let entry = page.entries.first else { continue }
            var decoder = TupleDecoder(entry.key.dropFirst(prefix.count))
            for _ in 0..<skipped { _ = try decoder.skip() }
            let element = try Array(decoder.skip())
            let order = best.map { KeyOrder.compare(element, $0) }
            if order.map({ isMaximum ? $0 > 0 : $0 < 0 }) ?? true { best = element }
            // The first element of keys is in their order.
            if skipped == 0 { break }
        }
        return best
    }
}
