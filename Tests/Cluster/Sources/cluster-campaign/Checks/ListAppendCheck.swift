/// Finds anomalies of transactions that append to lists and read them.
///
/// The idea is that of Elle (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental
/// Observations", 2020): a read of a list shows the order of all appends to it, so the dependencies between
/// transactions follow from the reads. A history is strictly serialisable only if these, with the order in time, have
/// no cycle.
struct ListAppendCheck {
    private let history: [ListTransaction]
    private var problems: [String] = []
    /// Which transaction appended a value to a list.
    private var writers: [Append: Int] = [:]
    /// The longest read of each list.
    private var orders: [Int: [Int]] = [:]
    private var graph: DependencyGraph

    private struct Append: Hashable {
        var key: Int
        var value: Int
    }

    private struct Read {
        var transaction: Int
        var key: Int
        var values: [Int]
    }

    private init(_ history: [ListTransaction]) {
        (self.history, graph) = (history, DependencyGraph(count: history.count))
        for (number, transaction) in history.enumerated() {
            for case .append(let key, let value) in transaction.steps {
                writers[Append(key: key, value: value)] = number
            }
        }
    }

    /// What contradicts strict serialisability; empty if nothing does. Of cycles, there is one for each group of
    /// transactions that depend on each other.
    ///
    /// - Complexity: O(steps * length of the lists), and O(n * concurrency) for the order in time.
    static func problems(_ history: [ListTransaction]) -> [String] {
        var check = ListAppendCheck(history)
        check.run()
        var seen: Set<String> = []
        return check.problems.filter { seen.insert($0).inserted }
    }

    private mutating func run() {
        let reads = externalReads()
        for read in reads { checkValues(read) }
        findOrders(reads)
        addDependencies(reads)
        addRealTime()
        // What a list was at all must be clear before it can be said what depends on what.
        if problems.isEmpty { problems += graph.cycles().map(\.description) }
    }

    /// What transactions read that others wrote: without their own appends, which are checked here.
    private mutating func externalReads() -> [Read] {
        var reads: [Read] = []
        for (number, transaction) in history.enumerated() where transaction.outcome == .committed {
            var known: [Int: [Int]] = [:]
            var own: [Int: [Int]] = [:]
            for step in transaction.steps {
                switch step {
                case .append(let key, let value):
                    own[key, default: []].append(value)
                    known[key]?.append(value)
                case .read(let key, let values):
                    let appended = own[key] ?? []
                    if values.suffix(appended.count) != appended[...] || known[key].map({ $0 != values }) ?? false {
                        problems.append("transaction \(number) doesn't see its own appends, or sees them change")
                        continue
                    }
                    if known[key] == nil {
                        reads.append(Read(transaction: number, key: key, values: values.dropLast(appended.count)))
                    }
                    known[key] = values
                }
            }
        }
        return reads
    }

    private mutating func checkValues(_ read: Read) {
        var seen: Set<Int> = []
        for value in read.values {
            if !seen.insert(value).inserted { problems.append("list \(read.key) has \(value) twice") }
            guard let writer = writers[Append(key: read.key, value: value)] else {
                problems.append("list \(read.key) has \(value), which is unknown")
                continue
            }
            // G1a.
            if history[writer].outcome == .aborted {
                problems.append(
                    "list \(read.key) has \(value), which transaction \(writer) appended and was aborted")
            }
        }
        guard let last = read.values.last, let writer = writers[Append(key: read.key, value: last)],
            writer != read.transaction
        else { return }
        let appends = history[writer].steps.compactMap { step in
            if case .append(read.key, let value) = step { value } else { nil }
        }
        // G1b.
        if appends.last != last {
            problems.append(
                "transaction \(read.transaction) read list \(read.key) up to \(last), in the middle of a transaction")
        }
    }

    /// All reads of a list must be beginnings of the longest one.
    private mutating func findOrders(_ reads: [Read]) {
        for read in reads where read.values.count > orders[read.key]?.count ?? -1 { orders[read.key] = read.values }
        for read in reads {
            guard let order = orders[read.key], !order.starts(with: read.values) else { continue }
            problems.append("list \(read.key) was read as \(order) and as \(read.values)")
        }
    }

    /// Of several dependencies between two transactions, the graph keeps the first: so the strongest are added first,
    /// which say most about the data.
    private mutating func addDependencies(_ reads: [Read]) {
        // Appends that were acknowledged but are in no read come after all reads.
        var unread: [Int: [Int]] = [:]
        for (append, writer) in writers where history[writer].outcome == .committed {
            if !(orders[append.key] ?? []).contains(append.value) { unread[append.key, default: []].append(writer) }
        }
        for (key, order) in orders {
            for (value, later) in zip(order, order.dropFirst()) {
                add(writers[Append(key: key, value: value)], .writeBeforeWrite, writers[Append(key: key, value: later)])
            }
            for writer in unread[key] ?? [] {
                add(order.last.flatMap { writers[Append(key: key, value: $0)] }, .writeBeforeWrite, writer)
            }
        }
        for read in reads {
            guard let last = read.values.last else { continue }
            add(writers[Append(key: read.key, value: last)], .writeBeforeRead, read.transaction)
        }
        for read in reads {
            let order = orders[read.key] ?? []
            if read.values.count < order.count {
                let later = Append(key: read.key, value: order[read.values.count])
                add(read.transaction, .readBeforeWrite, writers[later])
            } else {
                for writer in unread[read.key] ?? [] { add(read.transaction, .readBeforeWrite, writer) }
            }
        }
    }

    private mutating func add(_ from: Int?, _ dependency: DependencyGraph.Dependency, _ to: Int?) {
        if let from, let to, from != to { graph.add(from, dependency, to) }
    }

    /// A transaction that had ended before another one began comes before it. Only edges are added that don't follow
    /// from others: from those that had ended, and after whose end none of these had begun.
    private mutating func addRealTime() {
        var events: [(time: UInt64, isEnd: Bool, number: Int)] = []
        for (number, transaction) in history.enumerated() where transaction.outcome != .aborted {
            events.append((transaction.start, false, number))
            if transaction.outcome == .committed { events.append((transaction.end, true, number)) }
        }
        events.sort { ($0.time, $0.isEnd ? 1 : 0) < ($1.time, $1.isEnd ? 1 : 0) }
        var frontier: Set<Int> = []
        var before: [Int: Set<Int>] = [:]
        for event in events {
            if event.isEnd {
                frontier.subtract(before[event.number] ?? [])
                frontier.insert(event.number)
            } else {
                before[event.number] = frontier
                for earlier in frontier { graph.add(earlier, .realTime, event.number) }
            }
        }
    }
}
