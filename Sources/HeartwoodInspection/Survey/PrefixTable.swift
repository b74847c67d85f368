internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Gives numbers to prefixes of keys, and adds up the records of each.
struct PrefixTable {
    /// The sums of one prefix.
    private struct Group {
        var prefix: [UInt8]
        var isSection: Bool
        /// All records, and their bytes.
        var records: UInt64 = 0
        var bytes: UInt64 = 0
        /// Live ones.
        var keys: UInt64 = 0
        var keyBytes: UInt64 = 0
        var valueBytes: UInt64 = 0
        var liveBytes: UInt64 = 0
        var largestValue: NewestRecords.Newest?
        var longestKey: NewestRecords.Newest?
    }

    /// The numbers of keys without a separator, and of prefixes that are not followed. Followed ones have the next.
    private static let (none, other): (UInt16, UInt16) = (0, 1)

    private let selection: PrefixSelection
    private var numbers: [KeyHash: UInt16] = [:]
    /// By number.
    private var groups = [Group](repeating: Group(prefix: [], isSection: false), count: 2)
    private var (sections, prefixes) = (0, 0)

    init(_ selection: PrefixSelection) { self.selection = selection }

    /// Counts a record, and returns the number of its key's prefix.
    mutating func count(_ header: RecordHeader, _ key: UnsafeRawBufferPointer) -> UInt16 {
        let number = number(of: key)
        groups[Int(number)].records += 1
        groups[Int(number)].bytes += UInt64(header.encodedLength)
        return number
    }

    private mutating func number(of key: UnsafeRawBufferPointer) -> UInt16 {
        let section = selection.sectionLength(key)
        guard let length = section ?? prefixLength(of: key) else { return Self.none }
        let prefix = UnsafeRawBufferPointer(rebasing: key[..<length])
        let hash = KeyHash(prefix)
        if let number = numbers[hash] { return number }
        guard (section == nil ? prefixes : sections) < selection.most else { return Self.other }
        if section == nil { prefixes += 1 } else { sections += 1 }
        let number = UInt16(groups.count)
        groups.append(Group(prefix: [UInt8](prefix), isSection: section != nil))
        numbers[hash] = number
        return number
    }

    /// Up to and including the first separator.
    private func prefixLength(of key: UnsafeRawBufferPointer) -> Int? {
        guard !selection.separators.isEmpty else { return nil }
        return key.prefix(PrefixSelection.longestPrefix).firstIndex(where: selection.separators.contains).map { $0 + 1 }
    }

    /// Adds the live record of a key.
    mutating func add(_ record: NewestRecords.Newest) {
        let number = Int(record.prefix)
        groups[number].keys += 1
        groups[number].keyBytes += UInt64(record.keyLength)
        groups[number].valueBytes += UInt64(record.valueLength)
        groups[number].liveBytes += UInt64(record.length)
        groups[number].largestValue = Self.larger(groups[number].largestValue, record, by: \.valueLength)
        groups[number].longestKey = Self.larger(groups[number].longestKey, record, by: \.keyLength)
    }

    /// The larger record; of equal ones the earlier, so that the result doesn't depend on the order of the calls.
    private static func larger(
        _ one: NewestRecords.Newest?, _ other: NewestRecords.Newest,
        by size: KeyPath<NewestRecords.Newest, some Comparable>
    ) -> NewestRecords.Newest {
        guard let one else { return other }
        if one[keyPath: size] != other[keyPath: size] { return one[keyPath: size] > other[keyPath: size] ? one : other }
        return (one.file, one.offset) < (other.file, other.offset) ? one : other
    }

    /// The result. Reads the keys of the largest records.
    ///
    /// - Parameter share: The share of the keys that was added.
    func survey(_ members: [StoreFiles.Member], share: Double) throws(FileSystemError) -> PrefixSurvey {
        var survey = PrefixSurvey(selection: selection)
        for (number, group) in groups.enumerated() where group.keys > 0 || group.isSection {
            let made = try Self.group(group, members, share)
            switch UInt16(number) {
            case Self.none: survey.withoutSeparator = selection.separators.isEmpty ? nil : made
            case Self.other: survey.others = made
            default: if group.isSection { survey.sections.append(made) } else { survey.groups.append(made) }
            }
        }
        survey.sections.sort { $0.prefix.lexicographicallyPrecedes($1.prefix) }
        survey.groups.sort { first, second in
            if first.bytes != second.bytes { return first.bytes > second.bytes }
            return first.prefix.lexicographicallyPrecedes(second.prefix)
        }
        return survey
    }

    private static func group(
        _ group: Group, _ members: [StoreFiles.Member], _ share: Double
    ) throws(FileSystemError) -> PrefixGroup {
        func scaled(_ count: UInt64) -> UInt64 { share < 1 ? UInt64(Double(count) / share) : count }
        let (keys, live) = (scaled(group.keys), scaled(group.liveBytes))
        var made = PrefixGroup(
            prefix: group.prefix, keys: keys, keyBytes: scaled(group.keyBytes), valueBytes: scaled(group.valueBytes),
            liveBytes: live, deadRecords: group.records - min(group.records, keys),
            deadBytes: group.bytes - min(group.bytes, live))
        made.largestValue = try group.largestValue.map { record throws(FileSystemError) in
            try Self.record(record, members)
        }
        made.longestKey = try group.longestKey.map { record throws(FileSystemError) in
            try Self.record(record, members)
        }
        return made
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
