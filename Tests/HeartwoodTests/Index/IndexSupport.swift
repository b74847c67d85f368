@testable import Heartwood
import HeartwoodConcurrency

/// Tests use sequence numbers. The address of a version is its number, followed by 16 bits that count the versions of
/// one write.
func lastAddress(_ sequence: UInt64) -> UInt64 { sequence == 0 ? 0 : sequence << 16 | 0xFFFF }

extension Version {
    /// A version with a location that is made from its sequence.
    static func value(_ sequence: UInt64, length: Int = 16, expiry: UInt64 = 0) -> Version {
        Version(location: RecordLocation(address: sequence << 16, length: length), expiry: expiry)
    }

    static func tombstone(_ sequence: UInt64) -> Version {
        Version(location: RecordLocation(address: sequence << 16, length: 16), isTombstone: true)
    }

    var sequence: UInt64 { address >> 16 }

    /// The same version as number `number` of its write.
    func part(_ number: Int) -> Version {
        var copy = self
        copy.location = RecordLocation(word: location.word + UInt64(number) << 10)
        return copy
    }

    /// The same version as the first of its write.
    var first: Version {
        var copy = self
        copy.location = RecordLocation(word: location.word & ~(0xFFFF << 10))
        return copy
    }
}

/// A key with a version of it.
struct IndexEntry: Hashable {
    var key: [UInt8]
    var version: Version
}

/// Collects the changes of one write.
struct WriteChanges {
    fileprivate var changes: [(key: [UInt8], version: Version)] = []

    mutating func add(_ key: [UInt8], _ version: Version) { changes.append((key, version)) }
}

extension VersionedIndex {
    func apply(sequence: UInt64, publish: Bool, _ body: (inout WriteChanges) -> Void) {
        var write = WriteChanges()
        body(&write)
        apply(
            sequence: sequence, addresses: sequence << 16...lastAddress(sequence), count: write.changes.count,
            publish: publish
        ) { writer in
            for (number, (key, version)) in write.changes.enumerated() {
                let isOwn = version.sequence == sequence
                key.withUnsafeBytes { writer.add(key: $0, version: isOwn ? version.part(number) : version) }
            }
        }
    }

    func put(_ key: [UInt8], _ sequence: UInt64, publish: Bool = true) {
        apply(sequence: sequence, publish: publish) { writer in writer.add(key, .value(sequence)) }
    }

    func remove(_ key: [UInt8], _ sequence: UInt64, publish: Bool = true) {
        apply(sequence: sequence, publish: publish) { writer in writer.add(key, .tombstone(sequence)) }
    }

    /// Puts all keys in one write.
    func put(all keys: some Sequence<[UInt8]>, _ sequence: UInt64, publish: Bool = true) {
        apply(sequence: sequence, publish: publish) { writer in
            for key in keys { writer.add(key, .value(sequence)) }
        }
    }

    /// Removes all keys in one write.
    func remove(all keys: some Sequence<[UInt8]>, _ sequence: UInt64) {
        apply(sequence: sequence, publish: true) { writer in
            for key in keys { writer.add(key, .tombstone(sequence)) }
        }
    }

    func publish(_ sequence: UInt64) { publish(lastAddress(sequence), sequence) }

    func find(_ key: [UInt8], at sequence: UInt64? = nil) -> Version? {
        key.withUnsafeBytes { find($0, at: sequence.map { lastAddress($0) })?.first }
    }

    func newest(_ key: [UInt8]) -> Version? {
        key.withUnsafeBytes { newest($0)?.first }
    }

    /// What a reader at the visible point finds if `meanwhile` runs after it has read the key's word, and how often it
    /// looked the key up.
    func find(_ key: [UInt8], meanwhile: (VersionWord) -> Void) -> (version: Version?, looks: Int) {
        epochs.pinned {
            var looks = 0
            let version = VersionedIndex.visibleVersion(undo) {
                let word = VersionWord(bits: key.withUnsafeBytes { tree.find($0) }!)
                looks += 1
                if looks == 1 { meanwhile(word) }
                return word
            } _: {
                visible
            }
            return (version, looks)
        }
    }

    /// Pins the newest state, or what is visible.
    func pinSequence(newest: Bool = false) -> UInt64 { pin(newest: newest).sequence }

    func release(_ sequence: UInt64) {
        release(ReadPoint(address: lastAddress(sequence), sequence: sequence))
    }

    func count(in range: KeyRange, at sequence: UInt64) -> Int { count(range, at: lastAddress(sequence)) }

    /// The keys of a range at the visible sequence, read in pages of `limit`.
    func keys(_ range: KeyRange = .all, reversed: Bool = false, limit: Int = 1_000_000) -> [[UInt8]] {
        entries(range, at: visibleSequence, reversed: reversed, limit: limit).map(\.key)
    }

    /// The entries of a range, read in pages of `limit`.
    func entries(_ range: KeyRange, at sequence: UInt64, reversed: Bool, limit: Int) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        while true {
            let rest = entries.last.map { range.remainder(after: $0.key, reversed: reversed) } ?? range
            let end = entries.count + limit
            forEach(in: rest, at: lastAddress(sequence), reversed: reversed) { key, version in
                entries.append(IndexEntry(key: [UInt8](key), version: version.first))
                return entries.count < end
            }
            if entries.count < end { return entries }
        }
    }

    /// Bytes of nodes and long keys.
    var treeBytes: Int { state.withLock { $0.tree.byteCount } }

    /// All counts without the bytes, some of which stay in pools.
    var counts: IndexStatistics {
        var counts = statistics
        counts.bytes = 0
        return counts
    }
}

/// Eight bytes that sort like the number.
func bigEndianKey(_ number: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
}
