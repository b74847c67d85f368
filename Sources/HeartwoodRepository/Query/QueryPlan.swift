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
    /// A part of the store that is read.
    public enum Access: Sendable, Hashable {
        /// All records, in the order of their ids.
        case allRecords
        /// Records in ranges of ids.
        case recordRanges
        /// Records of given ids.
        case identifiers(count: Int)
        /// Ranges of an index: several, if there are several values for a component.
        case index(name: String, ranges: Int)
        /// Given keys of a unique index.
        case uniqueKeys(name: String, count: Int)
    }

    /// How results come into their order.
    public enum Ordering: Sendable, Hashable {
        /// They are read in their order, so a limit also limits what is read.
        case asRead
        /// All ids are read from the index and sorted, then records are read: no more than the limit needs. If there
        /// are many ids, records are also read in the order of ids meanwhile, which may be enough sooner.
        case byIdentifier
        /// All records that may match are read; with a limit, only the best are kept. The text says why.
        case inMemory(reason: String)
    }

    /// What a query has done.
    public struct Statistics: Sendable, Hashable {
        /// Entries of indexes that were read.
        public var entries = 0
        /// Records that were read.
        public var records = 0
        /// Models that were returned or counted.
        public var results = 0

        /// Nothing yet.
        public init() {}
    }

    /// What is read: nothing if no model can pass the filter. If there are several, their results are united.
    public let accesses: [Access]
    /// For each access the conditions that it meets; empty for all records.
    public let conditions: [String]
    /// What is evaluated on each record; nil if the keys decide.
    public let filter: String?
    /// How results come into their order.
    public let ordering: Ordering
    /// Whether it is read from the end to the beginning.
    public let isReversed: Bool
    /// Whether a count needs no records.
    public let isCountedByKeys: Bool
    /// How much was looked at; nil if the query hasn't run.
    public var statistics: Statistics?
}

extension QueryPlan {
    init(_ plan: AccessPlan, _ filter: FilterNode, _ indexes: [ReadyIndex]) {
        accesses = plan.steps.map { step in
            let count = step.keys.spans.count
            switch step.place {
            case .records where step.isLookup: return .identifiers(count: count)
            case .records: return step.keys.isAll ? .allRecords : .recordRanges
            case .index(let position) where step.isLookup:
                return .uniqueKeys(name: indexes[position].name, count: count)
            case .index(let position): return .index(name: indexes[position].name, ranges: count)
            }
        }
        conditions = plan.steps.map { step in
            step.conditions.map { $0.map(\.description).joined(separator: " && ") }.joined(separator: " || ")
        }
        self.filter = plan.isFiltering ? "\(filter)" : nil
        switch plan.ordering {
        case .asRead: ordering = .asRead
        case .byIdentifier: ordering = .byIdentifier
        case .inMemory(let reason): ordering = .inMemory(reason: reason)
        }
        isReversed = plan.isReversed
        isCountedByKeys = plan.isCountedByKeys
    }
}

extension QueryPlan: CustomStringConvertible {
    /// One readable line for each fact. For people: the text may change.
    public var description: String {
        var lines = zip(accesses, conditions).map { access, conditions in
            "\(access.description)\(conditions.isEmpty ? "" : ": \(conditions)")\(backwards)"
        }
        if lines.isEmpty { lines = ["nothing: no model can pass the filter"] }
        lines.append("filter: \(filter ?? "none, the keys decide")")
        switch ordering {
        case .asRead: lines.append("order: as read")
        case .byIdentifier: lines.append("order: ids are sorted before records are read")
        case .inMemory(let reason): lines.append("order: sorted in memory, because \(reason)")
        }
        lines.append("count: " + (isCountedByKeys ? "from the keys alone" : "records have to be read"))
        if let statistics {
            lines.append(
                "looked at: \(statistics.entries) index entries, \(statistics.records) records; "
                    + "\(statistics.results) results")
        }
        return lines.joined(separator: "\n")
    }

    private var backwards: String { ordering == .asRead && isReversed ? ", backwards" : "" }
}

extension QueryPlan.Access: CustomStringConvertible {
    /// Where it reads, without the conditions.
    public var description: String {
        switch self {
        case .allRecords: "all records"
        case .recordRanges: "records by id"
        case .identifiers(let count): "\(count) records by id"
        case .index(let name, let ranges): "index \(name)\(ranges == 1 ? "" : ", \(ranges) ranges")"
        case .uniqueKeys(let name, let count): "unique index \(name), \(count) \(count == 1 ? "key" : "keys")"
        }
    }
}
