@testable import Heartwood

extension Version {
    /// A version whose place can be told from its sequence.
    static func value(_ sequence: UInt64, length: UInt32 = 10) -> Version {
        Version(
            sequence: sequence, expiry: 0, place: Place(segment: 1, length: length, offset: sequence * 8),
            isTombstone: false)
    }

    static func tombstone(_ sequence: UInt64) -> Version {
        Version(sequence: sequence, expiry: 0, place: Place(segment: 1, length: 10, offset: 0), isTombstone: true)
    }
}

extension VersionedIndex {
    func put(_ key: [UInt8], _ sequence: UInt64, publish: Bool = true) {
        apply(sequence: sequence, publish: publish) { writer in writer.add(key, .value(sequence)) }
    }

    func remove(_ key: [UInt8], _ sequence: UInt64, publish: Bool = true) {
        apply(sequence: sequence, publish: publish) { writer in writer.add(key, .tombstone(sequence)) }
    }

    func find(_ key: [UInt8], at sequence: UInt64? = nil) -> Version? {
        key.withUnsafeBytes { find($0, at: sequence) }
    }

    func newest(_ key: [UInt8]) -> Version? {
        key.withUnsafeBytes { newest($0) }
    }

    /// The keys of a range at the visible sequence, read in pages of `limit`.
    func keys(_ range: KeyRange = .all, reversed: Bool = false, limit: Int = 1_000_000) -> [[UInt8]] {
        entries(range, at: visible, reversed: reversed, limit: limit).map(\.key)
    }

    func entries(_ range: KeyRange, at sequence: UInt64, reversed: Bool, limit: Int) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        while true {
            let cursor = entries.last?.key
            let page = collect(range, after: cursor, at: sequence, reversed: reversed, limit: limit)
            entries += page
            if page.count < limit { return entries }
        }
    }
}

extension VersionedIndex.Writer {
    mutating func add(_ key: [UInt8], _ version: Version) {
        key.withUnsafeBytes { add(key: $0, version: version) }
    }
}

/// The eight bytes of a number, in the order of numbers.
func bigEndianKey(_ number: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
}
