/// All rows of a run of the program with what every engine came to in them: what the page, the table and the documents
/// are made from.
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

    /// The groups in the order in which rows name them first.
    var groups: [Group] {
        var order: [String] = []
        for comparison in comparisons where !order.contains(comparison.row.group) { order.append(comparison.row.group) }
        return order.map { id in Group(id: id, comparisons: comparisons.filter { $0.row.group == id }) }
    }

    /// The rows in which Heartwood and at least one peer have figures.
    var comparable: [Comparison] { comparisons.filter { $0.heartwood != nil && !$0.peers.isEmpty } }

    func title(of engine: String) -> String { engines.first { $0.id == engine }?.title ?? engine }

    /// A section of the table.
    struct Group: Sendable, Identifiable {
        let id: String
        let comparisons: [Comparison]

        /// The rows by what their writes promise: never two promises in one chart.
        var byPromise: [(promise: Promise?, comparisons: [Comparison])] {
            ([nil] + Promise.allCases).compactMap { promise in
                let equal = comparisons.filter { $0.row.promise == promise }
                return equal.isEmpty ? nil : (promise, equal)
            }
        }

        /// The engines that have figures in it, in the order of the results.
        func engines(of all: [EngineInfo]) -> [EngineInfo] {
            let measured = Set(comparisons.flatMap { $0.entries.map(\.engine.id) })
            return all.filter { measured.contains($0.id) }
        }
    }
}
