package import HeartwoodFiles
package import HeartwoodFileSystem
internal import HeartwoodFormat

extension StoreSurvey {
    /// Surveys a store's directory, or one file.
    ///
    /// Reads and verifies all bytes. Takes no lock and writes nothing, so the store may be in use. Memory is limited:
    /// if there are more than about a million keys, a sample is followed, and the values that depend on keys are
    /// estimated.
    ///
    /// - Parameters:
    ///   - path: A directory, or one file of a store.
    ///   - cells: How many parts the map of each file has.
    ///   - now: The time by which expiry is judged, in milliseconds since 1970.
    ///   - records: Which records to report individually, in `FileSurvey.details`; nil for none. This needs a second
    ///     pass over the files.
    ///   - prefixes: Which prefixes of keys to report, in `SurveyTotals.prefixes`; nil for none.
    ///   - patience: How long to wait for data that may be being written.
    ///   - progress: Called from time to time. An error that it throws ends the work and is thrown.
    /// - Throws: `StoreError` if the path does not exist (`.notFound`) or the system can't read it.
    package static func make(
        of path: String, cells: Int = 512, now: UInt64, records: RecordSelection? = nil,
        prefixes: PrefixSelection? = nil, fileSystem: any FileSystem = POSIXFileSystem(),
        patience: LogWalk.Patience = .live, progress: ((InspectionProgress) throws -> Void)? = nil
    ) throws -> StoreSurvey {
        precondition(cells > 0)
        do {
            let listing = try StoreListing.at(path, foreign: true, in: fileSystem)
            defer { listing.close() }
            let files = try StoreFiles(listing)
            try files.checkIsStore(listing)
            var run = SurveyRun(files, cells: cells, now: now, prefixes, patience)
            var survey = try run.run(progress)
            if let records {
                var gathering = RecordGathering(run.members, survey, records)
                for (index, details) in try gathering.run(survey, progress).enumerated() {
                    survey.files[index].details = details
                }
            }
            return survey
        } catch let error as FileSystemError {
            throw StoreError(error, "the files could not be read")
        }
    }
}

/// One pass over all files.
private struct SurveyRun {
    let members: [StoreFiles.Member]
    private let cells: Int
    private let patience: LogWalk.Patience
    private var survey: StoreSurvey
    private var newest = NewestRecords()
    /// Nil if prefixes don't matter.
    private var prefixes: PrefixTable?
    private var largest = LargestRecords()

    init(
        _ files: StoreFiles, cells: Int, now: UInt64, _ prefixes: PrefixSelection?, _ patience: LogWalk.Patience
    ) {
        self.cells = cells
        self.patience = patience
        members = files.members.sorted { ($0.order, $0.sequence) < ($1.order, $1.sequence) }
        survey = StoreSurvey(
            path: files.path, verdict: .clean, findings: files.findings, storeID: files.storeID, holder: files.holder,
            files: [], others: files.others)
        survey.now = now
        self.prefixes = prefixes.map { PrefixTable($0) }
    }

    mutating func run(_ progress: ProgressMeter.Report?) throws -> StoreSurvey {
        let total = members.reduce(0) { $0 + ($1.isRead ? $1.file.size : 0) }
        var meter = ProgressMeter("reading", totalBytes: total, progress)
        let last = members.last { $0.role == .log }?.file.path
        for (index, member) in members.enumerated() {
            var file = FileSurvey(member)
            file.counts = counts(member)
            if member.isRead, let header = member.file.header {
                let isNewest = member.file.path == last
                switch header.kind {
                case .log: try survey(member, as: index, isNewest, into: &file, &meter)
                case .snapshot: try survey(member.file, header, as: index, counts: file.counts, into: &file, &meter)
                }
            } else {
                var map = FileMap(size: file.size, cells: cells)
                map.addRest(file.isHeaderDamaged ? \.corrupt : \.dead)
                file.map = map.cells
                file.bytes = map.total
            }
            survey.files.append(file)
        }
        let clock = survey.now
        for file in survey.files where file.counts {
            survey.now = max(survey.now, file.times?.upperBound ?? 0)
        }
        survey.timeAhead = survey.now - clock
        settleLiveBytes()
        survey.totals.prefixes = try prefixes?.survey(members, share: newest.share)
        finishTotals()
        survey.verdict = Verdict(survey.findings)
        sortFindings()
        return survey
    }

    /// Whether the records of a file belong to the store's content. Those of a damaged snapshot do if no other file
    /// replaces it.
    private func counts(_ member: StoreFiles.Member) -> Bool {
        switch member.role {
        case .snapshot, .log: true
        case .damaged: survey.findings.contains { $0.file == member.file.path && $0.refusesOpening }
        case .covered, .older, .temporary, .foreign, .other: false
        }
    }

    /// Sorts by the order of the files, then by offset.
    private mutating func sortFindings() {
        let order = Dictionary(
            survey.files.enumerated().map { ($0.element.path, $0.offset) }, uniquingKeysWith: { first, _ in first })
        func place(_ finding: Finding) -> (Int, UInt64) { (order[finding.file] ?? -1, finding.offset) }
        survey.findings.sort { place($0) < place($1) }
    }

    // MARK: - Files

    private mutating func survey(
        _ member: StoreFiles.Member, as index: Int, _ isNewest: Bool, into file: inout FileSurvey,
        _ meter: inout ProgressMeter
    ) throws {
        var examination = try LogExamination(member, patience: isNewest ? patience : .none, checksValues: true)
        var values = try FileWindow(member.file.file, size: 256 << 10)
        var map = FileMap(size: member.file.size, cells: cells)
        map.add(file.isHeaderDamaged ? \.corrupt : \.format, 0..<UInt64(FormatConstants.fileHeaderSize))
        var before = UInt64(FormatConstants.fileHeaderSize)
        let counts = file.counts
        try examination.run(&meter) { commit in
            map.add(\.format, before..<commit.recordsOffset)
            before = commit.end
            file.records.add(commit)
            note(commit, as: index, counts: counts, &map)
            guard counts else { return }
            for record in commit.records where record.header.flags.contains(.compressed) {
                try noteCompression(record.header, record.offset, in: &values)
            }
        } onDamage: { damage in
            map.add(\.format, before..<damage.part.lowerBound)
            map.add(damage.proof == nil ? \.torn : \.corrupt, damage.part.lowerBound..<damage.contentEnd)
            map.add(
                damage.proof == nil ? \.free : \.format,
                damage.contentEnd..<max(damage.contentEnd, damage.part.upperBound))
            before = damage.part.upperBound
        }
        let summary = examination.summary
        if let torn = summary.torn { map.add(\.torn, max(before, torn.lowerBound)..<max(before, torn.upperBound)) }
        map.addRest(\.free)
        survey.findings += examination.findings
        file.note(summary, map)
        if isNewest {
            survey.end = summary.torn != nil ? .torn : summary.isClosed ? .closed : .unclosed
        }
    }

    private mutating func note(
        _ commit: ScannedCommit, as index: Int, counts: Bool, _ map: inout FileMap
    ) {
        if counts, !commit.records.isEmpty {
            survey.totals.timeline.add(
                commit.header.time, records: UInt64(commit.records.count), bytes: commit.end - commit.offset)
        }
        commit.keys.withUnsafeBytes { keys in
            for record in commit.records {
                let length = UInt64(record.header.encodedLength)
                map.add(\.dead, record.offset..<(record.offset + length))
                let key = keys.slice(record.keyStart, Int(record.header.keyLength))
                let found = ExaminedRecord(
                    header: record.header, key: key, offset: record.offset, sequence: record.sequence)
                note(found, as: index, counts: counts)
            }
        }
    }

    private mutating func survey(
        _ data: DataFile, _ header: FileHeader, as index: Int, counts: Bool, into file: inout FileSurvey,
        _ meter: inout ProgressMeter
    ) throws {
        var examination = try SnapshotExamination(data, header)
        var values = try FileWindow(data.file, size: 256 << 10)
        var map = FileMap(size: data.size, cells: cells)
        map.add(file.isHeaderDamaged ? \.corrupt : \.format, 0..<UInt64(FormatConstants.fileHeaderSize))
        try examination.run(&meter) { walk, damages in
            // Damage among the records is added in the order of the file. Damage after the records is added when all of
            // them are done.
            var damaged = damages.filter(\.isAmongRecords).map(\.part)[...]
            walk.forEachRecord { record in
                while let part = damaged.first, part.lowerBound < record.offset {
                    map.add(\.corrupt, damaged.removeFirst())
                }
                file.records.add(record.header.kind)
                map.add(\.dead, record.offset..<record.offset + UInt64(record.header.encodedLength))
                note(record, as: index, counts: counts)
            }
            for part in damaged { map.add(\.corrupt, part) }
            guard counts else { return }
            for record in walk.records where record.header.flags.contains(.compressed) {
                try noteCompression(record.header, record.offset, in: &values)
            }
        }
        for part in examination.damagedParts.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            map.add(\.format, 0..<part.lowerBound)
            map.add(\.corrupt, part)
        }
        map.addRest(\.format)
        survey.findings += examination.findings(besides: survey.findings)
        file.end = examination.footer?.keySectionOffset ?? data.size
        if let end = header.predecessor { file.sequences = 1...max(1, end.lastSequence) }
        file.times = header.creationTime...header.creationTime
        file.damagedParts = examination.damagedParts
        file.map = map.cells
        file.bytes = map.total
    }

    private mutating func note(_ record: ExaminedRecord, as index: Int, counts: Bool) {
        let header = record.header
        if case .optional = header.kind { return }
        let prefix = prefixes?.count(header, record.key) ?? 0
        guard counts else { return }
        survey.totals.keyBytes += UInt64(header.keyLength)
        survey.totals.valueBytes += UInt64(header.valueLength)
        survey.totals.keySizes.add(UInt64(header.keyLength))
        if header.kind != .delete { survey.totals.valueSizes.add(UInt64(header.valueLength)) }
        if header.flags.contains(.compressed) {
            survey.totals.compressedRecords += 1
            survey.totals.compressedBytes += UInt64(header.valueLength)
        }
        newest.add(header, record.key, record.offset, prefix: prefix, file: index)
        largest.add(record, in: members[index].file.name)
    }

    /// A compressed value begins with its original length.
    private mutating func noteCompression(
        _ header: RecordHeader, _ offset: UInt64, in window: inout FileWindow
    ) throws(FileSystemError) {
        let value = offset + UInt64(FormatConstants.recordHeaderSize) + UInt64(header.keyLength)
        survey.totals.inflatedBytes += try window.withBytes(at: value, count: 4) { bytes in
            bytes.count == 4 ? UInt64(bytes.load(UInt32.self, littleEndianAt: 0)) : 0
        }
    }

    // MARK: - Totals

    /// Marks the records that are the newest of their keys as live.
    private mutating func settleLiveBytes() {
        let share = newest.share
        survey.totals.isEstimated = share < 1
        survey.totals.sampledShare = share
        var keys: UInt64 = 0
        var moved = survey.files.map { [UInt64](repeating: 0, count: $0.map.count) }
        var keyBytes: UInt64 = 0
        for record in newest.records where !record.isTombstone {
            if record.expiry != 0 {
                if record.expiry <= survey.now {
                    survey.totals.expired += 1
                    continue
                }
                survey.totals.expiring += 1
                let range = survey.totals.expiry ?? record.expiry...record.expiry
                survey.totals.expiry = min(range.lowerBound, record.expiry)...max(range.upperBound, record.expiry)
            }
            keys += 1
            keyBytes += UInt64(record.keyLength)
            prefixes?.add(record)
            survey.files[record.file].forCells(of: record.offset..<(record.offset + UInt64(record.length))) {
                cell, bytes in
                moved[record.file][cell] += bytes
            }
        }
        for (file, cells) in moved.enumerated() {
            // An estimate for one cell may exceed the bytes of the cell. The excess counts for the next cell.
            var rest: UInt64 = 0
            for (cell, bytes) in cells.enumerated() {
                rest += share < 1 ? UInt64(Double(bytes) / share) : bytes
                rest -= survey.files[file].markLive(cell, rest)
            }
        }
        func scaled(_ count: UInt64) -> UInt64 { share < 1 ? UInt64(Double(count) / share) : count }
        survey.totals.keys = scaled(keys)
        survey.totals.expiring = scaled(survey.totals.expiring)
        survey.totals.expired = scaled(survey.totals.expired)
        // And the log after it: the header of a segment, and a mark.
        let live = survey.files.reduce(0) { $0 + $1.bytes.live }
        survey.totals.compactedBytes =
            SnapshotFooter.fileBytes(records: live, keys: scaled(keys), keyBytes: scaled(keyBytes))
            + UInt64(FormatConstants.fileHeaderSize + FormatConstants.commitHeaderSize)
    }

    private mutating func finishTotals() {
        for file in survey.files {
            survey.totals.bytes.add(file.bytes)
            switch file.role {
            case .snapshot, .log, .covered, .older, .damaged:
                survey.totals.replaceableBytes += file.bytes.all - file.bytes.free
            case .temporary, .foreign, .other: break
            }
            guard file.counts else { continue }
            survey.totals.records.add(file.records)
            survey.totals.commits += file.commits
            survey.totals.batches += file.batches
            if let last = file.sequences?.upperBound {
                survey.totals.lastSequence = max(survey.totals.lastSequence, last)
            }
        }
        survey.totals.largestKeys = largest.keys
        survey.totals.largestValues = largest.values
    }
}

extension StoreFiles.Member {
    /// Files that a snapshot replaced, then the snapshot and the log as an opening reads them, then the rest.
    fileprivate var order: Int {
        switch role {
        case .older, .covered: 0
        case .snapshot, .damaged: 1
        case .log: 2
        case .temporary: 3
        case .foreign: 4
        case .other: 5
        }
    }
}
