internal import Foundation

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

    /// The last value that a writer gave a key that other writers may have written too.
    mutating func mayHave(_ number: Int, _ value: Int) {
        if others[number] == nil {
            put(number, value)
            others[number] = []
        } else {
            others[number]?.append(UInt32(value) + 1)
        }
    }

    /// Compares every pair that `scan` visits with the expected contents.
    ///
    /// - Throws: `WrongResult`.
    func check(_ scan: (_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws -> Void) throws {
        var found = 0
        var wrong: String?
        var expected = keys.makeBuffer()
        try scan { key, value in
            found += 1
            let number = keys.number(of: key)
            guard number >= 0, number < last.count, last[number] != 0 else {
                wrong = "a key was returned that must not exist"
                return false
            }
            keys.write(number, to: &expected)
            guard Self.areEqual(key, expected) else {
                wrong = "a key was returned with other bytes than were put"
                return false
            }
            let candidates = [last[number]] + (others.isEmpty ? [] : others[number] ?? [])
            guard candidates.contains(where: { Self.areEqual(value, data.values[Int($0) - 1]) }) else {
                wrong = "key number \(number) has another value than was put last"
                return false
            }
            return true
        }
        if let wrong { throw WrongResult(wrong) }
        guard found == count else { throw WrongResult("\(found) keys were returned, but \(count) must exist") }
    }

    @inline(__always)
    private static func areEqual(_ span: RawSpan, _ bytes: [UInt8]) -> Bool {
        span.byteCount == bytes.count
            && span.withUnsafeBytes { left in
                bytes.withUnsafeBytes { right in
                    left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
                }
            }
    }
}
