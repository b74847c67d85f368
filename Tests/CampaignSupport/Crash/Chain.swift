/// The states that a store goes through, one write after the other.
package struct Chain: Sendable, Codable {
    package struct Held: Sendable, Hashable, Codable {
        var value: WorkValue
        var sequence: UInt64
        var expires: UInt64
    }
    typealias State = [String: Held]

    /// The numbers of the writes, ascending.
    private(set) var sequences: [UInt64] = []
    /// The state before each of them, and after the last.
    private(set) var states: [State] = [[:]]

    /// The state at a number that some write has; nil otherwise.
    func state(at sequence: UInt64) -> State? {
        if sequence == 0 { return states[0] }
        guard let index = position(of: sequence) else { return nil }
        return states[index + 1]
    }

    func position(of sequence: UInt64) -> Int? {
        var low = 0
        var high = sequences.count
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle] < sequence { low = middle + 1 } else { high = middle }
        }
        return low < sequences.count && sequences[low] == sequence ? low : nil
    }

    /// The writes of these that have a number.
    ///
    /// - Throws: `Violation` where a number was given twice, or where a transaction didn't count on from what was
    ///   there.
    init(_ operations: [WorkOperation]) throws {
        for operation in operations.filter({ $0.sequence != nil }).sorted(by: { $0.sequence! < $1.sequence! }) {
            try append(operation)
        }
    }

    /// A chain that goes on from what was found.
    init(from state: State, at sequence: UInt64) {
        if sequence == 0 {
            states = [state]
        } else {
            sequences = [sequence]
            states = [[:], state]
        }
    }

    mutating func append(_ operation: WorkOperation) throws {
        let sequence = operation.sequence!
        if let last = sequences.last, sequence <= last {
            throw Violation("number \(sequence) was given twice, or out of order, after \(last)")
        }
        var state = states[states.count - 1]
        if operation.countsUp { try Self.checkCount(operation, state) }
        for change in operation.changes {
            state[change.key] = change.value.map { Held(value: $0, sequence: sequence, expires: change.expires) }
        }
        sequences.append(sequence)
        states.append(state)
    }

    private static func checkCount(_ operation: WorkOperation, _ state: State) throws {
        for change in operation.changes {
            guard case .number(let number)? = change.value else { continue }
            var before: UInt64 = 0
            if case .number(let held)? = state[change.key]?.value { before = held }
            guard number == before + 1 else {
                throw Violation("transaction \(operation.sequence!) wrote \(number) where \(before) stood")
            }
        }
    }
}

/// A promise that was broken.
package struct Violation: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}
