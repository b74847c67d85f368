internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Gives numbers to prefixes of keys, and adds up the live records of each.
struct PrefixTable {
    /// The sums of one prefix.
    private struct Group {
        var keys: UInt64 = 0
        var keyBytes: UInt64 = 0
        var valueBytes: UInt64 = 0
        var largestValue: NewestRecords.Newest
        var longestKey: NewestRecords.Newest
    }

    /// The numbers of keys without a separator, and of prefixes that are not followed. Followed ones have the next.
    private static let (none, other, first): (UInt16, UInt16, UInt16) = (0, 1, 2)

    private let selection: PrefixSelection
    private var numbers: [[UInt8]: UInt16] = [:]
    private var groups: [UInt16: Group] = [:]

    init(_ selection: PrefixSelection) { self.selection = selection }

    /// The number of a key's prefix.
    mutating func number(of key: UnsafeRawBufferPointer) -> UInt16 {
        guard let end = key.prefix(PrefixSelection.longestPrefix).firstIndex(where: selection.separators.contains)
        else {
            return Self.none
        }
        let prefix = [UInt8](key[...end])
        if let number = numbers[prefix] { return number }
        guard numbers.count < selection.most else { return Self.other }
        let number = Self.first + UInt16(numbers.count)
        numbers[prefix] = number
        return number
    }

    /// Adds the live record of a key.
    mutating func add(_ record: NewestRecords.Newest) {
        var group = groups[record.prefix] ?? Group(largestValue: record, longestKey: record)
        group.keys += 1
        group.keyBytes += UInt64(record.keyLength)
        group.valueBytes += UInt64(record.valueLength)
        group.largestValue = Self.larger(group.largestValue, record, by: \.valueLength)
        group.longestKey = Self.larger(group.longestKey, record, by: \.keyLength)
        groups[record.prefix] = group
    }

    /// The larger record; of equal ones the earlier, so that the result doesn't depend on the order of the calls.
    private static func larger(
        _ one: NewestRecords.Newest, _ other: NewestRecords.Newest,
        by size: KeyPath<NewestRecords.Newest, some Comparable>
    ) -> NewestRecords.Newest {
        if one[keyPath: size] != other[keyPath: size] { return one[keyPath: size] > other[keyPath: size] ? one : other }
        return (one.file, one.offset) < (other.file, other.offset) ? one : other
    }

    /// The result. Reads the keys of the largest records.
    ///
    /// - Parameter share: The share of the keys that was added.
    func survey(_ members: [StoreFiles.Member], share: Double) throws(FileSystemError) -> PrefixSurvey {
        var survey = PrefixSurvey(selection: selection)
        survey.withoutSeparator = try group(Self.none, [], members, share)
        survey.others = try group(Self.other, [], members, share)
        for (prefix, number) in numbers {
            if let group = try group(number, prefix, members, share) { survey.groups.append(group) }
        }
        survey.groups.sort { first, second in
            if first.bytes != second.bytes { return first.bytes > second.bytes }
            return first.prefix.lexicographicallyPrecedes(second.prefix)
        }
        return survey
    }

    private func group(
        _ number: UInt16, _ prefix: [UInt8], _ members: [StoreFiles.Member], _ share: Double
    ) throws(FileSystemError) -> PrefixGroup? {
        guard let group = groups[number] else { return nil }
        func scaled(_ count: UInt64) -> UInt64 { share < 1 ? UInt64(Double(count) / share) : count }
        return PrefixGroup(
            prefix: prefix, keys: scaled(group.keys), keyBytes: scaled(group.keyBytes),
            valueBytes: scaled(group.valueBytes), largestValue: try Self.record(group.largestValue, members),
            longestKey: try Self.record(group.longestKey, members))
    }

    private static func record(
        _ record: NewestRecords.Newest, _ members: [StoreFiles.Member]
    ) throws(FileSystemError) -> PrefixGroup.Record {
        let file = members[record.file].file
        var window = try FileWindow(file.file, size: 4 << 10)
        let start = record.offset + UInt64(FormatConstants.recordHeaderSize)
        let key = try window.withBytes(at: start, count: Int(record.keyLength)) { [UInt8]($0) }
        return PrefixGroup.Record(
            key: key, valueBytes: UInt64(record.valueLength), file: FileSurvey(members[record.file]).name,
            offset: record.offset)
    }
}
