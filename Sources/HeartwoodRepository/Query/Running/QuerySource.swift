/// Where a query reads: a view or a transaction, and where in it the records and indexes of a model are.
struct QuerySource<Model: Sendable> {
    /// All reads are of one moment: a view, or a transaction.
    let reader: any KeyValueReader
    /// The key of a record is this and the id as one element.
    let recordPrefix: [UInt8]
    /// The indexes that are complete, and the prefixes of their entries.
    let indexes: [(index: Index<Model>, entriesPrefix: [UInt8])]
    /// The id.
    let idPath: any PartialKeyPath<Model> & Sendable
    /// Whether ids are encoded by their `TupleElement`, so that conditions on ids are conditions on keys.
    let idIsOrdered: Bool
    /// The model of a record.
    let decode: (Entry) throws(StoreError) -> Model
    /// A key that is read before anything is returned.
    var guardKey: [UInt8]?
    /// Throws if the entry of the guard key says that this source no longer describes the store.
    var checkGuard: (Entry?) throws(StoreError) -> Void = { _ in }

    var planner: QueryPlanner<Model> {
        QueryPlanner(indexes: indexes.map(\.index), idPath: idPath, idIsOrdered: idIsOrdered)
    }

    /// How a query would run. Reads nothing.
    func plan(for query: Query<Model>) -> QueryPlan {
        QueryPlan(planner.plan(query), query, indexes.map(\.index))
    }
}
