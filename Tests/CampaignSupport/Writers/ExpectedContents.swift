internal import Heartwood

/// What keys must have, and the comparison of what they have: every key, every byte, and nothing else.
struct ExpectedContents: Sendable {
    /// The expected value of a key. Its bytes follow from the operation.
    struct Value: Sendable {
        /// nil: a shared counter or the parent's own key, whose value is a number.
        var operation: WriterOperation?
        var number: UInt64 = 0
        var sequence: SequenceNumber
    }

    private(set) var values: [String: Value] = [:]

    subscript(key: String) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }

    /// - Parameter owner: A writer, if only its own keys count.
    mutating func apply(_ operation: WriterOperation, _ sequence: SequenceNumber, ofOnly owner: Int? = nil) {
        for (key, value) in operation.changes {
            values[key] = value == nil ? nil : Value(operation: operation, sequence: sequence)
        }
        guard owner == nil, case .increment(let counter, _) = operation.kind else { return }
        values[counter] = Value(operation: nil, number: (values[counter]?.number ?? 0) + 1, sequence: sequence)
    }

    /// The contents of one writer's keys.
    func keys(of writer: Int) -> ExpectedContents {
        ExpectedContents(values: values.filter { $0.key.hasPrefix("w\(writer)/") })
    }

    /// Reads what a scan shows.
    ///
    /// - Throws: `Violation` if keys are out of order.
    static func read(_ scan: Scan, reversed: Bool = false) throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        var previous: [UInt8]?
        for entry in try scan.entries() {
            let key = String(decoding: entry.key, as: UTF8.self)
            if let previous {
                let (low, high) = reversed ? (entry.key, previous) : (previous, entry.key)
                try expect(low.lexicographicallyPrecedes(high), "\(key) came twice, or out of order")
            }
            previous = entry.key
            entries[key] = entry
        }
        return entries
    }

    /// - Parameters:
    ///   - keys: The keys that were read; nil: all.
    ///   - times: When they were read. Only what expires soon depends on it.
    func compare(
        _ entries: [String: Entry], keys: Range<String>? = nil, at times: ClosedRange<UInt64> = 0...0
    ) throws {
        for key in values.keys where keys?.contains(key) ?? true { try check(entries[key], key, at: times) }
        for (key, entry) in entries where values[key] == nil { try check(entry, key) }
    }

    /// Compares one key with what was found.
    func check(_ entry: Entry?, _ key: String, at times: ClosedRange<UInt64> = 0...0) throws {
        guard let expected = values[key] else {
            guard let entry else { return }
            throw Violation("\(key) is there, from write number \(entry.sequence), and should not be")
        }
        let expiry = expected.operation?.expiry(of: key) ?? 0
        let mayHaveExpired = expiry > 0 && expiry <= times.upperBound
        guard let entry else {
            if mayHaveExpired { return }
            throw Violation("\(key) is missing; write number \(expected.sequence) set it (\(origin(expected)))")
        }
        try expect(!mayHaveExpired || times.lowerBound < expiry, "\(key) is there, and has expired at \(expiry)")
        let value = expected.operation?.value(of: key) ?? littleEndianBytes(of: expected.number)
        guard entry.value == value else {
            let found = littleEndianNumber(in: entry.value).map(operationName) ?? "no operation"
            throw Violation(
                "\(key) has \(entry.value.count) bytes that belong to \(found), "
                    + "not the \(value.count) bytes of \(origin(expected))"
            )
        }
        try expect(
            entry.sequence == expected.sequence,
            "\(key) has number \(entry.sequence) instead of \(expected.sequence)")
        try expect(
            entry.expires?.milliseconds ?? 0 == expiry,
            "\(key) expires at \(entry.expires?.milliseconds ?? 0) instead of \(expiry)")
    }

    private func origin(_ expected: Value) -> String {
        guard let operation = expected.operation else { return "a shared counter at \(expected.number)" }
        return "\(operationName(operation.counter)), \(operation.durability)"
    }

    /// An operation's counter as round and number.
    private func operationName(_ counter: UInt64) -> String { "operation \(counter >> 32)/\(counter & 0xFFFF_FFFF)" }
}
