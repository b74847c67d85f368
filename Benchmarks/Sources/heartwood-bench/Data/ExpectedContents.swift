#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What must be in a store: for each key which values may be its last. Filled by the walks of the writers, made again.
struct ExpectedContents: Sendable {
    private let data: Dataset
    private let keys: KeySource
    /// For each key's number the value that it has, counted from 1; 0 where it has none.
    private var last: [UInt32]
    /// Where several writers wrote the same key, and the last of each may be what is left.
    private var others: [Int: [UInt32]] = [:]
    private(set) var count = 0

    /// - Parameters:
    ///   - keyLimit: The number of keys that there may be.
    ///   - isFilled: Whether the data's keys have their first values.
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

    /// The last value that one of several writers gave a key that others may have written too.
    mutating func mayHave(_ number: Int, _ value: Int) {
        if others[number] == nil {
            put(number, value)
            others[number] = []
        } else {
            others[number]?.append(UInt32(value) + 1)
        }
    }

    /// Holds every pair that `scan` shows to what must be there.
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
                wrong = "a key came back that wasn't there"
                return false
            }
            keys.write(number, to: &expected)
            guard Self.areEqual(key, expected) else {
                wrong = "a key came back with other bytes than were put"
                return false
            }
            let candidates = [last[number]] + (others.isEmpty ? [] : others[number] ?? [])
            guard candidates.contains(where: { Self.areEqual(value, data.values[Int($0) - 1]) }) else {
                wrong = "the key of number \(number) came back with another value than was put last"
                return false
            }
            return true
        }
        if let wrong { throw WrongResult(wrong) }
        guard found == count else { throw WrongResult("\(count) keys must be there, and \(found) came back") }
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
