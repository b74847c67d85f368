/// Keys with all their versions, and what each moment shows of them. No clock, no limits.
struct VersionedMap: Sendable {
    /// What a key became with a write. A nil value is a removal.
    struct Version: Sendable {
        var sequence: SequenceNumber
        var value: [UInt8]?
        var expires: Timestamp?
        /// Whether the engine removed the key because it had expired.
        var isExpiry = false
    }

    /// The versions of each key, oldest first.
    private var histories: [[UInt8]: [Version]] = [:]
    /// The keys of `histories`, in order.
    private var keys: [[UInt8]] = []

    /// Adds a version. Its sequence number is greater than that of every other version of the key.
    mutating func append(_ version: Version, to key: [UInt8]) {
        if histories[key] == nil {
            keys.insert(key, at: Self.firstIndex(in: keys) { KeyOrder.compare($0, key) >= 0 })
        }
        histories[key, default: []].append(version)
    }

    /// What a key was after the write with a sequence number; nil if it was absent.
    func entry(_ key: [UInt8], at sequence: SequenceNumber) -> Entry? {
        guard let version = histories[key]?.last(where: { $0.sequence <= sequence }), let value = version.value else {
            return nil
        }
        return Entry(key: key, value: value, sequence: version.sequence, expires: version.expires)
    }

    /// Entries of a range after the write with a sequence number.
    func page(of range: KeyRange, reversed: Bool, limit: Int, at sequence: SequenceNumber) -> EntryPage {
        var entries: [Entry] = []
        let indices = indices(of: range)
        for index in 0..<indices.count {
            let key = keys[reversed ? indices.upperBound - 1 - index : indices.lowerBound + index]
            guard let entry = entry(key, at: sequence) else { continue }
            entries.append(entry)
            guard entries.count == limit else { continue }
            let rest = range.remainder(after: key, reversed: reversed)
            return EntryPage(entries: entries, next: rest.isEmpty ? nil : rest)
        }
        return EntryPage(entries: entries, next: nil)
    }

    /// The number of keys of a range after the write with a sequence number.
    func count(of range: KeyRange, at sequence: SequenceNumber) -> Int {
        keys[indices(of: range)].count { entry($0, at: sequence) != nil }
    }

    /// Whether a key was neither set nor removed after the write with a sequence number. Expiries don't count.
    func isUnchanged(_ key: [UInt8], since sequence: SequenceNumber) -> Bool {
        guard let change = histories[key]?.last(where: { !$0.isExpiry }) else { return true }
        return change.sequence <= sequence
    }

    /// The same for all keys of a range.
    func isUnchanged(_ range: KeyRange, since sequence: SequenceNumber) -> Bool {
        keys[indices(of: range)].allSatisfy { isUnchanged($0, since: sequence) }
    }

    private func indices(of range: KeyRange) -> Range<Int> {
        let start = Self.firstIndex(in: keys) { key in key.withUnsafeBytes { range.startsBefore($0) } }
        let end = Self.firstIndex(in: keys) { key in !key.withUnsafeBytes { range.endsAfter($0) } }
        return start..<max(start, end)
    }

    /// The first index whose key has a property that all later keys have, too.
    private static func firstIndex(in keys: [[UInt8]], where isAfter: ([UInt8]) -> Bool) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(keys[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
