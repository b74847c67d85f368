internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The second pass of a survey: collects the records that are reported individually, with their states.
///
/// The selection limits memory use. Which record is the newest of its key is followed only for keys of reported
/// records, however many keys the store has.
struct RecordGathering {
    private struct Location: Hashable {
        var file: Int
        var index: Int
    }

    private let members: [StoreFiles.Member]
    private let selection: RecordSelection
    private let now: UInt64
    private var wanted: [WantedRecords]
    private var details: [RecordDetails]
    private var left: Int
    /// The newest record of each key that was reported; nil if the newest record itself is not reported.
    private var newest: [KeyHash: Location?] = [:]

    init(_ members: [StoreFiles.Member], _ survey: StoreSurvey, _ selection: RecordSelection) {
        self.members = members
        self.selection = selection
        now = survey.now
        wanted = WantedRecords.choose(survey, selection)
        details = members.map { _ in RecordDetails() }
        left = selection.most
    }

    /// Returns the details for each of the files. O(bytes).
    mutating func run(_ survey: StoreSurvey, _ progress: ProgressMeter.Report?) throws -> [RecordDetails] {
        let total = members.reduce(0) { $0 + ($1.isRead ? $1.file.size : 0) }
        var meter = ProgressMeter("looking at records", totalBytes: total, progress)
        for (index, member) in members.enumerated() where member.isRead {
            try gather(member, as: index, survey.files[index], &meter)
        }
        settle()
        return details
    }

    private mutating func gather(
        _ member: StoreFiles.Member, as index: Int, _ file: FileSurvey, _ meter: inout ProgressMeter
    ) throws {
        let damaged = Set(file.damagedParts.lazy.map(\.lowerBound))
        try member.forEachRecord(&meter) { damage in
            guard damaged.contains(damage.part.lowerBound) else { return }
            note(damage, as: index)
        } _: { record in
            // Skips what was written to a store in use after the first pass.
            guard file.kind == .snapshot || record.offset < file.end else { return }
            note(record, file.counts ? .live : .dead, as: index)
        }
        wanted[index].finish(at: member.file.size)
    }

    /// Notes the records in a damaged part, which are not read.
    private mutating func note(_ damage: LogDamage, as index: Int) {
        damage.keys.withUnsafeBytes { keys in
            for record in damage.records {
                let start = record.keyStart ?? 0
                let length = record.keyStart == nil ? 0 : min(Int(record.header.keyLength), keys.count - start)
                let found = ExaminedRecord(
                    header: record.header, key: keys.slice(start, length), offset: record.offset,
                    sequence: record.sequence, time: damage.commit?.time ?? 0)
                note(found, record.isIntact ? .unread : .damaged, as: index)
            }
        }
    }

    /// Notes a record. Records come from the oldest to the newest.
    private mutating func note(_ record: ExaminedRecord, _ state: RecordDetails.State, as index: Int) {
        let isWhole = state == .live || state == .dead
        let isTold = left > 0 && wanted[index].next(at: record.offset, isWhole: isWhole)
        if left == 0 { wanted[index].passOver(record.offset) }
        if isTold {
            details[index].add(record, keeping: selection.keyBytes, state)
            left -= 1
        }
        guard state == .live else { return }
        if case .optional = record.header.kind {
            if isTold { details[index].set(.dead, of: details[index].count - 1) }
            return
        }
        let hash = KeyHash(record.key)
        guard isTold || newest[hash] != nil else { return }
        if case .some(.some(let older)) = newest[hash] { details[older.file].set(.dead, of: older.index) }
        newest.updateValue(isTold ? Location(file: index, index: details[index].count - 1) : nil, forKey: hash)
    }

    /// Sets the final states: the newest record of a key is live, unless it is a delete or has expired.
    private mutating func settle() {
        for case .some(let place) in newest.values {
            let record = details[place.file][place.index]
            if record.kind == .delete {
                details[place.file].set(.dead, of: place.index)
            } else if let expiry = record.expiry, expiry <= now {
                details[place.file].set(.expired, of: place.index)
            }
        }
        for index in details.indices {
            for part in wanted[index].parts { details[index].addPart(part) }
        }
    }
}

/// Selects which records of one file are reported, in one pass over the file.
struct WantedRecords {
    /// The parts of the file from which every record was taken.
    private(set) var parts: [Range<UInt64>] = []
    private let isEvery: Bool
    private let first: UInt64
    private let last: UInt64
    private let places: [Range<UInt64>]
    private var seen: UInt64 = 0
    private var place = 0
    /// How many more records may be taken near findings. The limit leaves some for the ends of files.
    private var nearLeft: UInt64
    /// The start of the part that is being taken; nil between parts.
    private var start: UInt64? = 0

    private init(isEvery: Bool, first: UInt64, last: UInt64, places: [Range<UInt64>], near: UInt64) {
        self.isEvery = isEvery
        self.first = first
        self.last = last
        self.places = places
        nearLeft = 4 * near * UInt64(places.count)
    }

    /// Takes all records, or as many as the selection allows, from each of the survey's files.
    static func choose(_ survey: StoreSurvey, _ selection: RecordSelection) -> [WantedRecords] {
        // Records that can be salvaged from damaged parts are not among the counted records. There may be one every 40
        // bytes.
        let bytes = survey.totals.bytes
        let all = survey.files.reduce(0) { $0 + $1.records.all } + (bytes.corrupt + bytes.torn) / 40
        let isEvery = all <= UInt64(selection.most)
        let files = max(1, survey.files.count { $0.records.all > 0 })
        let findings = max(1, survey.findings.count { $0.severity > .note })
        let ends = UInt64(min(selection.nearEnds, selection.most / 4 / files))
        let near = UInt64(max(1, min(selection.nearFindings, selection.most / 8 / findings)))
        return survey.files.map { file in
            let count = file.records.all
            let size = max(40, min(file.size / max(1, count), UInt64(FormatConstants.maximumBatchBytes)))
            let places = survey.findings.filter { $0.file == file.path && $0.severity > .note }
                .map { $0.offset - min($0.offset, near * size)..<$0.offset + near * size }
            return WantedRecords(
                isEvery: isEvery, first: ends, last: count - min(count, ends),
                places: places.sorted { $0.lowerBound < $1.lowerBound }, near: near)
        }
    }

    /// Whether to take the next record.
    ///
    /// - Parameter isWhole: Whether the survey has counted the record.
    mutating func next(at offset: UInt64, isWhole: Bool) -> Bool {
        while place < places.count, places[place].upperBound <= offset { place += 1 }
        let isNear = nearLeft > 0 && place < places.count && places[place].contains(offset)
        let isAtEnd = isWhole && (seen < first || seen >= last)
        if isWhole { seen += 1 }
        guard isEvery || isNear || isAtEnd else {
            passOver(offset)
            return false
        }
        if !isEvery, !isAtEnd { nearLeft -= 1 }
        if start == nil { start = offset }
        return true
    }

    /// Skips a record.
    mutating func passOver(_ offset: UInt64) {
        if let begun = start, begun < offset { parts.append(begun..<offset) }
        start = nil
    }

    /// Ends the file.
    mutating func finish(at size: UInt64) {
        if let begun = start, begun < size { parts.append(begun..<size) }
        start = nil
    }
}
