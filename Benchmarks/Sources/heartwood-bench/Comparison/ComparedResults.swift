/// All rows of a file of results with every engine's figures: the tables in the terminal and in documents use it.
struct ComparedResults: Sendable {
    let results: Results
    /// One for each row of the results, in their order.
    let comparisons: [Comparison]

    init(_ results: Results) {
        self.results = results
        let cells = Dictionary(grouping: results.cells, by: \.row)
        var seen: Set<String> = []
        let engines = results.engines.filter { seen.insert($0.id).inserted }
        self.engines = engines
        comparisons = results.rows.map { Comparison($0, engines: engines, cells: cells[$0.id] ?? []) }
    }

    /// Each engine once.
    let engines: [EngineInfo]

    /// The groups, in the order of their first rows.
    var groups: [Group] {
        var order: [String] = []
        for comparison in comparisons where !order.contains(comparison.row.group) { order.append(comparison.row.group) }
        return order.map { id in Group(id: id, comparisons: comparisons.filter { $0.row.group == id }) }
    }

    /// The rows in which Heartwood and at least one peer have figures.
    var comparable: [Comparison] { comparisons.filter { $0.heartwood != nil && !$0.peers.isEmpty } }

    func title(of engine: String) -> String { engines.first { $0.id == engine }?.title ?? engine }

    /// A group of rows.
    struct Group: Sendable, Identifiable {
        let id: String
        let comparisons: [Comparison]
    }
}
