internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Gives numbers to prefixes of keys, and adds up the records of each.
struct PrefixTable {
    /// The sums of one prefix.
    private struct Group {
        /// Until the end, live records count as dead, too, and nothing is scaled.
        var figures: PrefixGroup
        var isSection = false
        var largestValue: NewestRecords.Newest?
        var longestKey: NewestRecords.Newest?
    }

    /// The numbers of keys without a separator, and of prefixes that are not followed. Followed ones have the next.
    private static let (none, other): (UInt16, UInt16) = (0, 1)

    private let selection: PrefixSelection
    private var numbers: [KeyHash: UInt16] = [:]
    /// By number.
    private var groups = [Group](repeating: Group(figures: PrefixGroup(prefix: [])), count: 2)
    private var (sections, prefixes) = (0, 0)

    init(_ selection: PrefixSelection) { self.selection = selection }

    /// Counts a record, and returns the number of its key's prefix.
    mutating func count(_ header: RecordHeader, _ key: UnsafeRawBufferPointer) -> UInt16 {
        let number = number(of: key)
        groups[Int(number)].figures.deadRecords += 1
        groups[Int(number)].figures.deadBytes += UInt64(header.encodedLength)
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
        groups.append(Group(figures: PrefixGroup(prefix: [UInt8](prefix)), isSection: section != nil))
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
        groups[number].figures.keys += 1
        groups[number].figures.keyBytes += UInt64(record.keyLength)
        groups[number].figures.valueBytes += UInt64(record.valueLength)
        groups[number].figures.liveBytes += UInt64(record.length)
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
        for (number, group) in groups.enumerated() where group.figures.keys > 0 || group.isSection {
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
        var made = group.figures
        for figure in [\PrefixGroup.keys, \.keyBytes, \.valueBytes, \.liveBytes] where share < 1 {
            made[keyPath: figure] = UInt64(Double(made[keyPath: figure]) / share)
        }
        made.deadRecords -= min(made.deadRecords, made.keys)
        made.deadBytes -= min(made.deadBytes, made.liveBytes)
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
    ) throws(FileSystemError) -> LargeRecord {
        let file = members[record.file].file
        var window = try FileWindow(file.file, size: 4 << 10)
        let start = record.offset + UInt64(FormatConstants.recordHeaderSize)
        let key = try window.withBytes(at: start, count: Int(record.keyLength)) { [UInt8]($0) }
        return LargeRecord(
            key: key, valueBytes: UInt64(record.valueLength), file: file.name, offset: record.offset)
    }
}
