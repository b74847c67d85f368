/// Decides whether a history of one register is linearizable: whether each operation can have happened at one moment
/// between its start and its end.
///
/// The search is that of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993), with Lowe's memory of the
/// states that were reached ("Testing for Linearizability", 2017), as in Porcupine: operations are placed one after the
/// other; one may be placed if no other that isn't placed has ended before its start; the search goes back if an
/// operation that has ended can't be placed. A set of placed operations that leads to the same value is tried once.
///
/// Registers are independent: a history of many keys is linearizable if that of each key is (Herlihy and Wing, 1990).
struct LinearizabilityCheck {
    private let operations: [RegisterOperation]
    /// Starts and ends in the order of time, as a linked list from which placed operations are lifted.
    private var next: [Int]
    private var previous: [Int]
    private let events: [Event]

    private struct Event {
        var operation: Int
        var isStart: Bool
    }

    private struct Reached: Hashable {
        var placed: Bits
        var value: Int?
    }

    private init(_ history: [RegisterOperation]) {
        // A read without a result says nothing.
        operations = history.filter { operation in
            if case .read = operation.call { operation.end != nil } else { true }
        }
        var events: [(time: UInt64, event: Event)] = []
        for (number, operation) in operations.enumerated() {
            events.append((operation.start, Event(operation: number, isStart: true)))
            events.append((operation.end ?? .max, Event(operation: number, isStart: false)))
        }
        // At the same time, starts are first: then the operations overlap, which allows more.
        events.sort { ($0.time, $0.event.isStart ? 0 : 1) < ($1.time, $1.event.isStart ? 0 : 1) }
        self.events = events.map(\.event)
        // Index 0 is before the first event.
        next = Array(1...events.count + 1)
        previous = Array(-1..<events.count)
    }

    /// Checks a history of one register.
    ///
    /// - Parameters:
    ///   - history: In any order.
    ///   - initial: The value before the first operation.
    ///   - steps: When to give up.
    /// - Complexity: Exponential in the number of operations that overlap, in the worst case.
    static func check(
        _ history: [RegisterOperation], initial: Int? = nil, steps: Int = 5_000_000
    ) -> Linearizability {
        var check = LinearizabilityCheck(history)
        return check.search(from: initial, steps: steps)
    }

    private mutating func search(from initial: Int?, steps: Int) -> Linearizability {
        var ends = [Int](repeating: 0, count: operations.count)
        for (index, event) in events.enumerated() where !event.isStart { ends[event.operation] = index + 1 }
        var (value, placed) = (initial, Bits(count: operations.count))
        var reached: Set<Reached> = []
        var path: [(start: Int, value: Int?)] = []
        var (longest, stuck) = (-1, [RegisterOperation]())
        var (event, step) = (next[0], 0)
        while next[0] <= events.count {
            step += 1
            if step > steps { return .undecided(steps: steps) }
            let current = events[event - 1]
            if current.isStart {
                if let after = operations[current.operation].apply(to: value) {
                    var state = placed
                    state.insert(current.operation)
                    if reached.insert(Reached(placed: state, value: after)).inserted {
                        path.append((event, value))
                        (value, placed) = (after, state)
                        lift(event)
                        lift(ends[current.operation])
                        event = next[0]
                        continue
                    }
                }
                event = next[event]
                continue
            }
            // An operation has ended that can't be placed now.
            if path.count > longest { (longest, stuck) = (path.count, underWay(until: event)) }
            guard let last = path.popLast() else { return .notLinearizable(stuck: stuck) }
            let operation = events[last.start - 1].operation
            value = last.value
            placed.remove(operation)
            unlift(ends[operation])
            unlift(last.start)
            event = next[last.start]
        }
        return .linearizable
    }

    /// The operations that aren't placed and start before an event.
    private func underWay(until end: Int) -> [RegisterOperation] {
        var (found, event) = ([RegisterOperation](), next[0])
        while event != end {
            if events[event - 1].isStart { found.append(operations[events[event - 1].operation]) }
            event = next[event]
        }
        return found
    }

    private mutating func lift(_ event: Int) {
        next[previous[event]] = next[event]
        if next[event] < previous.count { previous[next[event]] = previous[event] }
    }

    private mutating func unlift(_ event: Int) {
        next[previous[event]] = event
        if next[event] < previous.count { previous[next[event]] = event }
    }
}

/// What a check of a history has found.
enum Linearizability: Equatable {
    /// There is an order.
    case linearizable
    /// There is none. The operations are those that no order could place, among those that were under way then.
    case notLinearizable(stuck: [RegisterOperation])
    /// It was given up after so many steps.
    case undecided(steps: Int)
}

/// A set of small numbers.
private struct Bits: Hashable {
    private var words: [UInt64]

    init(count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

    mutating func insert(_ number: Int) { words[number / 64] |= 1 << UInt64(number % 64) }
    mutating func remove(_ number: Int) { words[number / 64] &= ~(1 << UInt64(number % 64)) }
}
