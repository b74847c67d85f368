/// The contents that a store must have: for each key, the values that may be its last. Made from the writers' walks.
struct ExpectedContents: Sendable {
    private let data: Dataset
    private let keys: KeySource
    /// The value of each key by its number, counted from 1; 0 if the key has none.
    private var last: [UInt32]
    /// Other possible values of keys that several writers have written: the last of each writer.
    private var others: [Int: [UInt32]] = [:]
    private(set) var count = 0

    /// - Parameters:
    ///   - keyLimit: The largest number of keys; that of the data if nil.
    ///   - isFilled: Whether all keys of the data have their first values.
    init(_ data: Dataset, keyLimit: Int? = nil, isFilled: Bool) {
        self.data = data
        let limit = keyLimit ?? data.keyCount
        keys = data.keys(limit)
        last = [UInt32](repeating: 0, count: limit)
        guard isFilled else { return }
        for number in 0..<data.keyCount { last[number] = UInt32(number % data.values.count) + 1 }
        count = data.keyCount
    }

    mutating func put(_ number: Int, _ value: Int) {
        if last[number] == 0 { count += 1 }
        last[number] = UInt32(value) + 1
    }

    mutating func remove(_ number: Int) {
        if last[number] != 0 { count -= 1 }
        last[number] = 0
    }

    /// Repeats a writer's walk.
    mutating func apply(_ walk: KeyWalk, times: Int, removing: Bool = false) {
        var walk = walk
        for _ in 0..<times {
            walk.advance()
            if removing { remove(walk.number) } else { put(walk.number, walk.value) }
        }
    }

    /// The last value that a writer gave a key that other writers may have written too.
    mutating func mayHave(_ number: Int, _ value: Int) {
        if others[number] == nil {
            put(number, value)
            others[number] = []
        } else {
            others[number]?.append(UInt32(value) + 1)
        }
    }

    /// Compares every pair of a session's scan with the expected contents.
    ///
    /// - Throws: `WrongResult`, or `Interrupted`.
    func check(_ session: some Session) throws {
        var found = 0
        var wrong: String?
        var expected = keys.makeBuffer()
        try session.scan(from: nil) { key, value in
            found += 1
            if found & 0xFFF == 0, Interrupt.isRequested { return false }
            wrong = problem(key, value, &expected)
            return wrong == nil
        }
        try Interrupt.check()
        if let wrong { throw WrongResult(wrong) }
        // No key occurs twice in a scan. So if the count is right, none is missing.
        guard found == count else { throw WrongResult("\(found) keys were returned, but \(count) must exist") }
    }

    private func problem(_ key: RawSpan, _ value: RawSpan, _ expected: inout [UInt8]) -> String? {
        let number = keys.number(of: key)
        guard number >= 0, number < last.count, last[number] != 0 else {
            return "a key was returned that must not exist"
        }
        keys.write(number, to: &expected)
        guard key.hasBytes(expected) else { return "a key was returned with other bytes than were put" }
        let candidates = [last[number]] + (others.isEmpty ? [] : others[number] ?? [])
        guard candidates.contains(where: { value.hasBytes(data.values[Int($0) - 1]) }) else {
            return "key number \(number) has another value than was put last"
        }
        return nil
    }
}

extension RawSpan {
    func hasBytes(_ bytes: [UInt8]) -> Bool {
        byteCount == bytes.count && withUnsafeBytes { left in bytes.withUnsafeBytes { left.elementsEqual($0) } }
    }
}

/// What was read isn't what was written. The figure isn't shown.
struct WrongResult: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
