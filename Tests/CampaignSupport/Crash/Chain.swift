internal import HeartwoodFormat

/// The states of a store, one after each write.
package struct Chain: Sendable, Codable {
    package struct Stored: Sendable, Hashable, Codable {
        var value: WorkValue
        var sequence: UInt64
        var expires: UInt64
    }
    typealias State = [String: Stored]

    /// The sequence numbers of the writes, ascending.
    private(set) var sequences: [UInt64] = []
    /// The state before each of them, and after the last.
    private(set) var states: [State] = [[:]]

    /// The state after the write with this sequence number; nil if there is none.
    ///
    /// The last number of an epoch stands for the write before it: a snapshot that replaces a log without writes ends
    /// there.
    func state(at sequence: UInt64) -> State? {
        if sequence == 0 { return states[0] }
        if (sequence + 1).isMultiple(of: FormatConstants.sequenceEpoch) {
            return states[sequences.prefix { $0 <= sequence }.count]
        }
        return sequences.firstIndex(of: sequence).map { states[$0 + 1] }
    }

    /// The chain of those operations that have a sequence number.
    ///
    /// - Throws: `Violation` if a number was given twice, or if a transaction didn't increment its counter by one.
    init(_ operations: [WorkOperation]) throws {
        for operation in operations.filter({ $0.sequence != nil }).sorted(by: { $0.sequence! < $1.sequence! }) {
            try append(operation)
        }
    }

    /// A chain that begins with the recovered state.
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
            state[change.key] = change.value.map { Stored(value: $0, sequence: sequence, expires: change.expires) }
        }
        sequences.append(sequence)
        states.append(state)
    }

    private static func checkCount(_ operation: WorkOperation, _ state: State) throws {
        for change in operation.changes {
            guard case .number(let number)? = change.value else { continue }
            var before: UInt64 = 0
            if case .number(let stored)? = state[change.key]?.value { before = stored }
            try expect(number == before + 1, "transaction \(operation.sequence!) wrote \(number) where \(before) stood")
        }
    }
}
