/// Observing: values that stay current.
extension ReadableRepository {
    /// The model with an id, nil while there is none, and then each newer one.
    ///
    /// ```swift
    /// for try await city in cities.observe(1) { print(city?.population ?? 0) }
    /// ```
    ///
    /// - Complexity: One read for each change of the record that is looked at. A change of others costs O(1), however
    ///   many ids are observed.
    public func observe(_ id: Model.ID) -> LiveValues<Model?> {
        let core = readOnly.core
        let key = Result { () throws(StoreError) in try core.key(id) }
        return LiveValues(
            source: ObservationSource(
                store: core.base.store, scope: .typedLayer, watch: Watch(keys: (try? key.get()).map { [$0] } ?? [])
            ) { () async throws(StoreError) in
                let key = try key.get()
                return try await core.observing { (_, view) async throws(StoreError) in
                    let entry = try await view.fetchEntry(key)
                    return ObservationSource.State(
                        value: try entry.map { (entry) throws(StoreError) in try core.model(entry) },
                        version: ObservedVersion(entry.map { [$0] } ?? []), position: view.position,
                        expires: entry?.expires, watch: Watch(keys: [key]))
                }
            })
    }

    /// The results of a query, and then each newer ones.
    ///
    /// ```swift
    /// let query = Query<City>(where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
    /// for try await largest in cities.observe(query) { print(largest.map(\.name)) }
    /// ```
    ///
    /// The query runs again when a change touches what it would read by its plan: with an index, a part of it; without
    /// one, all records. So give an observed query an index.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - onUndecodable: Called with the error of a record that doesn't decode, which is then left out; without it
    ///     the observation throws that error.
    /// - Complexity: That of the query for each change that touches it, at most one at a time. All results are in
    ///   memory.
    public func observe(
        _ query: Query<Model>, onUndecodable: (@Sendable (StoreError) -> Void)? = nil
    ) -> LiveValues<[Model]> {
        let core = readOnly.core
        return LiveValues(
            source: ObservationSource(store: core.base.store, scope: .typedLayer) { () async throws(StoreError) in
                try await core.observing { (source, view) async throws(StoreError) in
                    try await core.observed(query, source, view, onUndecodable: onUndecodable)
                }
            })
    }

    /// The number of results of a query, and then each other one.
    ///
    /// - Complexity: As ``count(_:onUndecodable:)`` for each change that touches it; O(keys) in addition where keys of
    ///   the store expire.
    public func observeCount(_ query: Query<Model> = Query()) -> LiveValues<Int> {
        let core = readOnly.core
        return LiveValues(
            source: ObservationSource(store: core.base.store, scope: .typedLayer) { () async throws(StoreError) in
                try await core.observing { (source, view) async throws(StoreError) in
                    let plan = source.layout.planner.plan(try query.filter.tree.node(), [])
                    let watch = core.watch(plan.steps, source.layout)
                    let count = try await source.count(query)
                    return ObservationSource.State(
                        value: count, version: ObservedVersion(count: count), position: view.position,
                        expires: try await watch.nextExpiry(view), watch: watch)
                }
            })
    }
}

extension RepositoryCore {
    /// Calls `body` with a view of the newest state; again with another one if it has ended.
    fileprivate nonisolated(nonsending) func observing<R>(
        _ body: (QuerySource<Model>, any KeyValueView) async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await reading({ (store) async throws(StoreError) in try await store.readView(for: .observation) }, body)
    }

    fileprivate nonisolated(nonsending) func observed(
        _ query: Query<Model>, _ source: QuerySource<Model>, _ view: any KeyValueView,
        onUndecodable: ((StoreError) -> Void)?
    ) async throws(StoreError) -> ObservationSource<[Model]>.State {
        var run = try QueryRun(query, source, onUndecodable: onUndecodable)
        let watch = watch(run.steps, source.layout)
        var models: [Model] = []
        var version = ObservedVersion()
        var expires: Timestamp?
        while let results = try await run.next() {
            for result in results {
                models.append(result.model)
                version.records.append(.init(id: result.id, sequence: result.sequence))
                if let moment = result.expires { expires = min(moment, expires ?? moment) }
            }
        }
        // One that offset leaves out moves the others when it expires.
        if query.offset > 0 { expires = try await watch.nextExpiry(view) }
        return ObservationSource.State(
            value: models, version: version, position: view.position, expires: expires, watch: watch)
    }

    fileprivate func watch(_ steps: [AccessPlan.Step], _ layout: QueryLayout) -> Watch {
        var watch = Watch()
        for step in steps {
            switch step.place {
            case .records:
                for span in step.keys.spans {
                    if step.isLookup {
                        watch.keys.append(layout.recordPrefix + span.lower)
                    } else {
                        watch.ranges.append(span.keyRange(after: layout.recordPrefix))
                    }
                }
            case .index(let position):
                let prefix = layout.indexes[position].entriesPrefix
                watch.ranges += step.keys.spans.map { $0.keyRange(after: prefix) }
                watch.records = base.layout
            }
        }
        // Before another program leaves out an index, it says so there.
        if base.hasOtherWriters { watch.keys.append(base.catalogueKey) }
        return watch
    }
}
