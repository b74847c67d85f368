/// Where a query reads: a view or a transaction, and where in it the records and indexes of a model are.
struct QuerySource<Model: Sendable> {
    /// Each query reads with a copy. All reads are of one moment: a view, or a transaction.
    var reader: SourceReader
    /// The model of a record.
    let decode: (Entry) throws(StoreError) -> Model
    /// Whether a query may also read records in the order of their ids that its plan doesn't name. In a transaction
    /// they would be conditions of the commit.
    var mayWalk = true

    var layout: QueryLayout { reader.layout }

    /// How a query would run. Reads nothing.
    func plan(for query: Query<Model>) -> QueryPlan {
        let filter = (try? query.filter.tree.node()) ?? .tooDeep
        return QueryPlan(layout.planner.plan(filter, query.sortProperties), filter, layout.indexes)
    }
}
