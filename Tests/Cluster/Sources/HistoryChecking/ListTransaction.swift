/// A transaction that appends to lists and reads them, as its client saw it.
public struct ListTransaction: Sendable, Hashable, Codable {
    /// One step.
    public enum Step: Sendable, Hashable, Codable {
        /// Appends a value to a list. No value is appended to a list twice in a history.
        case append(key: Int, value: Int)
        /// Reads a list.
        case read(key: Int, values: [Int])
    }

    /// What became of it.
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// It was acknowledged.
        case committed
        /// It was refused, and nothing was written.
        case aborted
        /// It was not acknowledged, and may have been written. Its reads say nothing.
        case unknown
    }

    /// The client.
    public var client: Int
    /// The steps, in order.
    public var steps: [Step]
    /// The outcome.
    public var outcome: Outcome
    /// When it began, by one clock for all clients.
    public var start: UInt64
    /// When it was acknowledged or refused.
    public var end: UInt64

    /// Creates a transaction.
    public init(client: Int, steps: [Step], outcome: Outcome, start: UInt64, end: UInt64) {
        (self.client, self.steps, self.outcome) = (client, steps, outcome)
        (self.start, self.end) = (start, end)
    }
}

/// What contradicts strict serialisability.
public enum ListAnomaly: Sendable, Hashable, CustomStringConvertible {
    /// A read has a value that no transaction appended (G1a if one was aborted that did).
    case strangeValue(key: Int, value: Int, abortedBy: Int?)
    /// A read ends with a value that its transaction then appended to (G1b).
    case intermediateRead(key: Int, value: Int, reader: Int)
    /// A list has a value twice.
    case duplicate(key: Int, value: Int)
    /// Two reads of a list aren't the beginning of one another.
    case incompatibleReads(key: Int, [Int], [Int])
    /// A transaction doesn't see its own appends, or sees them change.
    case inconsistentWithin(transaction: Int)
    /// Transactions that each must come before the next one, and the last before the first.
    case cycle(Cycle)

    /// A cycle of dependencies.
    public struct Cycle: Sendable, Hashable {
        /// The numbers of transactions in the history, and how each one precedes the next.
        public var steps: [(Int, Dependency)] { zip(transactions, dependencies).map { ($0, $1) } }
        /// The numbers of the transactions.
        public var transactions: [Int]
        /// The dependencies, each on the next transaction.
        public var dependencies: [Dependency]

        /// Its name in Adya's classification: G0 (writes only), G1c (writes and reads), G-single (one read before a
        /// write), G2 (several); with "-realtime" if it needs the order in time.
        public var name: String {
            let reads = dependencies.count { $0 == .readBeforeWrite }
            let base =
                reads > 1
                ? "G2" : reads == 1 ? "G-single" : dependencies.contains(.writeBeforeRead) ? "G1c" : "G0"
            return dependencies.contains(.realTime) ? base + "-realtime" : base
        }
    }

    /// The anomaly in words.
    public var description: String {
        switch self {
        case .strangeValue(let key, let value, let aborted):
            "list \(key) has \(value), which "
                + (aborted.map { "transaction \($0) appended and was aborted" } ?? "is unknown")
        case .intermediateRead(let key, let value, let reader):
            "transaction \(reader) read list \(key) up to \(value), in the middle of a transaction"
        case .duplicate(let key, let value): "list \(key) has \(value) twice"
        case .incompatibleReads(let key, let a, let b): "list \(key) was read as \(a) and as \(b)"
        case .inconsistentWithin(let transaction): "transaction \(transaction) contradicts itself"
        case .cycle(let cycle):
            "\(cycle.name): " + cycle.steps.map { "\($0) \($1.rawValue) " }.joined() + "\(cycle.transactions[0])"
        }
    }
}

/// How one transaction must come before another.
public enum Dependency: String, Sendable, Hashable {
    /// The other one's append is the next one of a list.
    case writeBeforeWrite = "ww"
    /// The other one has read its append.
    case writeBeforeRead = "wr"
    /// The other one's append is missing in its read.
    case readBeforeWrite = "rw"
    /// It had ended before the other one began.
    case realTime = "rt"
}
