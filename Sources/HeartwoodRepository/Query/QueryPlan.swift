/// How a query is answered: what `explain` returns.
///
/// ```
/// index country-population: country == "IS" && population >= 1000000, backwards
/// filter: none, the keys decide
/// order: as read
/// count: from the keys alone
/// looked at: 17 index entries, 17 records; 17 results
/// ```
///
/// Each fact has a line: what is read (a line for each part, if several are united), what is evaluated on each record,
/// how results come into their order, how they would be counted, and, after the query has run, how much was looked at.
public struct QueryPlan: Sendable, Hashable {
    /// What a query has done.
    public struct Statistics: Sendable, Hashable {
        /// Entries of indexes that were read.
        public internal(set) var entries = 0
        /// Records that were read.
        public internal(set) var records = 0
        /// Models that were returned or counted.
        public internal(set) var results = 0
    }

    /// A line for each part of the store that is read. If there are several, their results are united.
    public let reads: [String]
    /// What is done with what is read.
    private let rest: [String]
    /// How much was looked at; nil if the query hasn't run.
    public internal(set) var statistics: Statistics?

    init(_ plan: AccessPlan, _ filter: FilterNode, _ indexes: [ReadyIndex]) {
        let order: String
        var end = ""
        switch plan.ordering {
        case .asRead(let isReversed): (order, end) = ("as read", isReversed ? ", backwards" : "")
        case .byIdentifier: order = "ids are sorted before records are read"
        case .inMemory(let reason): order = "sorted in memory, because \(reason)"
        }
        let reads = plan.steps.map { step in
            let conditions = step.conditions.map { $0.map(\.description).joined(separator: " && ") }
                .joined(separator: " || ")
            return Self.place(step, indexes) + (conditions.isEmpty ? "" : ": \(conditions)") + end
        }
        self.reads = reads.isEmpty ? ["nothing: no model can pass the filter"] : reads
        rest = [
            "filter: \(plan.isFiltering ? "\(filter)" : "none, the keys decide")", "order: \(order)",
            "count: " + (plan.isFiltering ? "records have to be read" : "from the keys alone"),
        ]
    }

    private static func place(_ step: AccessPlan.Step, _ indexes: [ReadyIndex]) -> String {
        let count = step.keys.spans.count
        switch step.place {
        case .records where step.isLookup: return "\(count) records by id"
        case .records: return step.keys.isAll ? "all records" : "records by id"
        case .index(let position) where step.isLookup:
            return "unique index \(indexes[position].name), \(count) \(count == 1 ? "key" : "keys")"
        case .index(let position):
            return "index \(indexes[position].name)\(count == 1 ? "" : ", \(count) ranges")"
        }
    }
}

extension QueryPlan: CustomStringConvertible {
    /// One readable line for each fact. For people: the text may change.
    public var description: String {
        var lines = reads + rest
        if let statistics {
            lines.append(
                "looked at: \(statistics.entries) index entries, \(statistics.records) records; "
                    + "\(statistics.results) results")
        }
        return lines.joined(separator: "\n")
    }
}
