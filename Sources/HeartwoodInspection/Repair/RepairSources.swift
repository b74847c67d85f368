internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The files that a repair reads: all files of the store, whatever their names.
struct RepairSources {
    /// A log segment, with its end if another file records it.
    struct LogSource {
        var file: DataFile
        var header: FileHeader
        var successor: FileHeader.Predecessor?
        /// Whether the header's statement about the preceding log counts as evidence: the header verifies, or what is
        /// left of it agrees with the preceding file.
        var isEvidence: Bool

        /// Whether the file was never finished, or is a copy. Then damage in it exists in no other file.
        var isInPreparation: Bool { file.meaning == .temporary }
    }
    struct SnapshotSource {
        var file: DataFile
        var header: FileHeader
        var end: FileHeader.Predecessor
    }

    private(set) var logs: [LogSource] = []
    /// The newest first.
    private(set) var snapshots: [SnapshotSource] = []
    /// The sequence numbers that were assigned to batches.
    private(set) var given = GivenNumbers([])
    /// Files of which only the name is known, because nothing in them verifies.
    private(set) var unreadable: [(name: StoreFileName, path: String)] = []
    /// A file of another store with a name that a file of this store may have had.
    private(set) var foreign: String?
    /// The stores of the files that were left out.
    private(set) var others: [StoreID] = []
    var report = RepairReport()

    init(_ listing: StoreListing, _ options: RepairOptions) throws {
        var files: [DataFile] = []
        for entry in listing.entries {
            if let failure = entry.failure { throw StoreError(failure, "a file of the store could not be opened") }
            guard let file = entry.file else {
                if entry.meaning.isData { unreadable.append((entry.meaning, entry.path)) }
                continue
            }
            let data = try DataFile(entry, file)
            // The files of a newer version may contain anything. Reading them here would give only a part of the data.
            if case .unsupported(let error) = data.state {
                throw StoreError.newerVersion(error, file: data.path, offset: 0)
            }
            files.append(data)
        }
        try Self.choose(&files)
        report.storeID = try options.storeID ?? Self.storeID(of: files)
        files.undoSwaps(in: report.storeID)
        files.numberCopies(in: report.storeID)
        try sort(files)
        leaveOutOtherHistories()
        try findEvidence()
        findEnds()
        given = GivenNumbers(logs.lazy.filter(\.isEvidence).map(\.header))
    }

    /// If a file may have two headers, takes the one that does not belong to another file: blocks of another file may
    /// have overwritten this one, its header or its content. If both do, the header in the file counts: it is a copy.
    private static func choose(_ files: inout [DataFile]) throws(FileSystemError) {
        let standing = files.map { $0.meaning == .temporary ? nil : $0.standingHeader }
        for index in files.indices {
            let file = files[index]
            /// The header of another file with these items, and whether they were moved.
            func original(_ salt: UInt32, isRebuilt: Bool) throws(FileSystemError) -> (FileHeader, isMoved: Bool)? {
                for (other, header) in zip(files, standing) where other.path != file.path {
                    guard let header else { continue }
                    if salt == header.salt { return (header, false) }
                    if isRebuilt, try file.holds(salt, movedFrom: other, header.salt) { return (header, true) }
                }
                return nil
            }
            guard let salt = file.header?.salt ?? file.doubt,
                let (header, isMoved) = try original(salt, isRebuilt: file.isRebuilt)
            else { continue }
            if let other = file.otherHeader {
                if !file.isRebuilt, try original(other.salt, isRebuilt: true) != nil { continue }
                files[index].takeOtherHeader()
            } else if isMoved {
                files[index].leaveOutHeader()
            } else if file.isRebuilt {
                files[index].takeHeader(ofOriginal: header)
            }
        }
    }

    /// The id that most files have.
    private static func storeID(of files: [DataFile]) throws -> StoreID? {
        var counts: [StoreID: Int] = [:]
        let sound = files.filter { !$0.isRebuilt && $0.header != nil && $0.meaning.isData }
        for file in sound { counts[file.header!.storeID, default: 0] += 1 }
        let most = counts.values.max()
        let ids = counts.filter { $0.value == most }.keys.map(\.description).sorted()
        guard ids.count < 2 else {
            throw StoreError(
                .invalidArgument,
                "the files here are of several stores, and as many of each: say which one to repair (--store-id): "
                    + "\(ids.joined(separator: ", "))"
            )
        }
        return sound.first { counts[$0.header!.storeID] == most }?.header?.storeID
            ?? files.lazy.compactMap(\.header?.storeID).first
    }

    /// Sorts files by content, and by whether they belong to the store.
    private mutating func sort(_ files: [DataFile]) throws(FileSystemError) {
        var doubtful: [DataFile] = []
        for file in files {
            if let header = file.header {
                if header.storeID == report.storeID {
                    add(file, header)
                } else if file.isRebuilt {
                    doubtful.append(file)
                } else {
                    leaveOut(file)
                }
            } else if file.meaning.isData {
                report.note(file, .unreadable)
                unreadable.append((file.meaning, file.path))
            }
        }
        let isSure = files.contains { !$0.isRebuilt && $0.header?.storeID == report.storeID }
        for file in doubtful {
            var isForeign = false
            if isSure { isForeign = try hasForeignID(file) }
            if isForeign { isForeign = !isLinked(file.header!) }
            if isForeign { leaveOut(file) } else { add(file, file.header!) }
        }
        noteCoveredSegments()
        findEndsOfSnapshots()
        logs.sort { ($0.header.firstSequence, $0.file.name) < ($1.header.firstSequence, $1.file.name) }
        snapshots.sort { $0.end.lastSequence > $1.end.lastSequence }
    }

    /// Notes names of segments that were overwritten: a copy of another file, or its header, may be where the newest
    /// segment was.
    private mutating func noteCoveredSegments() {
        let found = logs.map { ($0.file, $0.header) } + snapshots.map { ($0.file, $0.header) }
        for (file, header) in found {
            guard case .log(let named) = file.meaning, header.kind == .snapshot || header.firstSequence != named,
                found.contains(where: { $0.1.salt == header.salt && $0.0.path != file.path }),
                !unreadable.contains(where: { $0.path == file.path })
            else { continue }
            unreadable.append((file.meaning, file.path))
        }
    }

    private mutating func leaveOut(_ file: DataFile) {
        report.note(file, .foreign)
        if let id = file.header?.storeID { others.append(id) }
        if file.meaning.isData { foreign = foreign ?? file.path }
    }

    private mutating func add(_ file: DataFile, _ header: FileHeader) {
        switch header.kind {
        case .log:
            logs.append(LogSource(file: file, header: header, isEvidence: !file.isRebuilt))
            // A block of another segment may have overwritten everything that was here.
            if case .log(let first) = file.meaning, file.isRebuilt, first != header.firstSequence {
                unreadable.append((file.meaning, file.path))
            }
        case .snapshot:
            guard header.firstSequence == 1, let end = header.predecessor,
                end.lastSequence < FormatConstants.possibleSequences.upperBound
            else {
                report.note(file, .unreadable)
                report.add(
                    RepairReport.Loss(
                        what: RepairReport.Loss.impossible, file: file.path, offset: 0, length: file.size))
                return
            }
            snapshots.append(SnapshotSource(file: file, header: header, end: end))
        }
    }

    /// Corrects the ends of snapshots whose headers are damaged, from the segment that follows, which records the same
    /// end. The log continues there.
    private mutating func findEndsOfSnapshots() {
        let ends = logs.filter { !$0.file.isRebuilt }.compactMap(\.header.predecessor)
            .filter { FormatConstants.possibleSequences.contains($0.lastSequence) }
        let rebuilt = snapshots.map(\.file).filter(\.isRebuilt)
        for index in snapshots.indices where snapshots[index].file.state != .sound {
            let (file, said) = (snapshots[index].file, snapshots[index].end)
            var end = ends.first { $0 == said } ?? ends.first { $0.salt == said.salt && said.endOffset > 0 }
            if file.isRebuilt {
                let copies = rebuilt.filter { $0.header?.salt == file.header?.salt }
                end = end ?? self.end(of: file, copies, said: said, ends)
            } else if end.map({ StoreFileName.snapshot($0.lastSequence) != file.name }) ?? true {
                // Its header verifies. It is not believed only if both its name and another file contradict it.
                continue
            }
            guard let end else { continue }
            let header = snapshots[index].header
            snapshots[index].end = end
            snapshots[index].header = FileHeader(
                kind: .snapshot, storeID: header.storeID, salt: header.salt, firstSequence: 1, predecessor: end,
                creationTime: header.creationTime)
        }
    }

    /// The end of a snapshot that no segment names as its predecessor: the number on which its header and its names
    /// agree; or if the log begins after one of their numbers, the lowest of these. If nothing confirms a number, it is
    /// that of the newest record. A number that is too low does no harm: what the log has from there on is the same
    /// data, and what it lacks is reported.
    ///
    /// - Parameters:
    ///   - copies: The file, and other files with the same salt.
    ///   - said: What the damaged header says. An offset of 0 means nothing.
    ///   - ends: The ends of segments, as other headers record them.
    private func end(
        of file: DataFile, _ copies: [DataFile], said: FileHeader.Predecessor, _ ends: [FileHeader.Predecessor]
    ) -> FileHeader.Predecessor {
        let isPossible = { (number: UInt64) in
            number >= file.newestRecord && FormatConstants.possibleSequences.contains(number)
        }
        var claims = said.endOffset > 0 ? [said.lastSequence] : []
        for case .snapshot(let named) in copies.map(\.meaning) { claims.append(named) }
        let log = logs.map { $0.header.predecessor?.lastSequence ?? $0.header.firstSequence - 1 }.filter(isPossible)
        let claimed = Set(claims).filter(isPossible)
        var last = max(1, file.newestRecord)
        let agree = claims.count > 1 && Set(claims).count == 1
        if let lowest = claimed.min(), agree || (log.min().map(claimed.contains) ?? (claimed.count == 1)) {
            last = lowest
        }
        var end = ends.first { $0.lastSequence == last } ?? said
        end.lastSequence = last
        return end
    }

    /// Whether the id in a damaged header is intact and of another store: the bytes around it are valid, and nearly all
    /// of the id differs from the store's id.
    private func hasForeignID(_ file: DataFile) throws(FileSystemError) -> Bool {
        guard let own = report.storeID, let header = file.header else { return false }
        let others = zip(own.description, header.storeID.description).count { $0 != $1 }
        guard others >= 28 else { return false }
        var window = try FileWindow(file.file, size: 512)
        return try window.withBytes(at: 0, count: 512) { bytes in
            bytes.count == 512 && bytes.prefix(8).elementsEqual(FormatConstants.fileMagic)
                && bytes.load(littleEndianAt: 12) == header.salt
                && bytes.load(littleEndianAt: 32) == header.firstSequence
                && bytes.load(UInt64.self, littleEndianAt: 64) != 0 && bytes.slice(72, 440).isZero
        }
    }

    /// Whether a file names a file of the store as its predecessor, or is named as a predecessor by one.
    private func isLinked(_ header: FileHeader) -> Bool {
        let before = header.predecessor?.salt
        return logs.contains { $0.header.salt == before || $0.header.predecessor?.salt == header.salt }
            || snapshots.contains { $0.end.salt == header.salt || $0.end.salt == before }
    }

    /// Decides between two segments with the same first number and different salts. They belong to two histories, for
    /// example because a copy of the store was used independently. Keeps the one that other files continue, or else the
    /// newer one.
    private mutating func leaveOutOtherHistories() {
        var kept: [LogSource] = []
        for log in logs {
            let rival = kept.firstIndex {
                $0.header.firstSequence == log.header.firstSequence && $0.header.salt != log.header.salt
            }
            guard let rival else {
                kept.append(log)
                continue
            }
            // A rebuilt header may have the wrong number. A temporary file never counted.
            let (mine, others) = (rank(log), rank(kept[rival]))
            let isBetter =
                mine == others ? log.header.creationTime > kept[rival].header.creationTime : mine > others
            report.note(isBetter ? kept[rival].file : log.file, .otherHistory)
            if isBetter { kept[rival] = log }
        }
        logs = kept
    }

    /// How much a segment is to be believed compared with another of the same number.
    private func rank(_ log: LogSource) -> Int {
        let hasName = log.file.name == StoreFileName.log(log.header.firstSequence)
        return (log.isInPreparation ? 0 : 8) + (log.file.isRebuilt ? 0 : 4) + (isNamed(log) ? 2 : 0) + (hasName ? 1 : 0)
    }

    /// Whether another file names this one as its predecessor.
    private func isNamed(_ log: LogSource) -> Bool {
        logs.contains { $0.header.predecessor?.salt == log.header.salt }
            || snapshots.contains { $0.end.salt == log.header.salt }
    }

    /// Decides whether the remains of a damaged header are evidence of where the preceding log ended: the preceding
    /// file, or a snapshot, must agree exactly. O(bytes of the files that precede damaged headers).
    private mutating func findEvidence() throws(FileSystemError) {
        for index in logs.indices where !logs[index].isEvidence {
            guard let end = logs[index].header.predecessor else { continue }
            if snapshots.contains(where: { !$0.file.isRebuilt && $0.end == end }) {
                logs[index].isEvidence = true
            } else if let before = logs.first(where: {
                $0.header.salt == end.salt && $0.header.firstSequence <= end.lastSequence + 1
            }) {
                logs[index].isEvidence = try Self.holds(before, upTo: end)
            }
        }
    }

    /// Whether a segment is whole up to an end, and has all numbers up to there.
    private static func holds(
        _ log: LogSource, upTo end: FileHeader.Predecessor
    ) throws(FileSystemError) -> Bool {
        var walk = try LogWalk(log.file, header: log.header, successor: end)
        while true {
            switch try walk.next() {
            case .commit: continue
            case .damage: return false
            case .end(let found): return found.reason == .recorded && found.nextSequence == end.lastSequence + 1
            }
        }
    }

    /// Finds where each segment ends, as recorded by the next segment or by a snapshot. Among many segments two may
    /// have the same salt; the numbers tell which one is meant. If items were moved within a segment, its rebuilt salt
    /// differs from the salt in its damaged header; the next segment names the latter.
    private mutating func findEnds() {
        let headers = logs.filter(\.isEvidence).map(\.header)
        let successors = Dictionary(grouping: headers) { $0.predecessor?.salt ?? 0 }
        let covered = snapshots.filter { !$0.file.isRebuilt }.map(\.end)
        for index in logs.indices {
            let header = logs[index].header
            let salt = logs[index].file.movedFrom ?? header.salt
            func end(by ends: [FileHeader.Predecessor]) -> FileHeader.Predecessor? {
                ends.filter { $0.salt == salt && $0.lastSequence + 1 >= header.firstSequence }
                    .min { $0.lastSequence < $1.lastSequence }
            }
            let later = (successors[salt] ?? []).filter { $0.firstSequence > header.firstSequence }
            let before = covered.filter { $0 != header.predecessor }
            logs[index].successor = end(by: later.compactMap(\.predecessor)) ?? end(by: before)
        }
    }

    /// The newest sequence number that any header or name mentions.
    var highestKnown: UInt64 {
        var highest: UInt64 = 0
        for log in logs where log.isEvidence {
            let last = log.header.predecessor?.lastSequence ?? 0
            if FormatConstants.possibleSequences.contains(last) { highest = max(highest, last) }
        }
        for snapshot in snapshots { highest = max(highest, snapshot.end.lastSequence) }
        return highest
    }
}

extension DataFile {
    /// Whether the first record of this file is a record of another file at another offset. The difference of the salts
    /// gives that offset.
    ///
    /// - Parameters:
    ///   - own: The salt of the records.
    ///   - salt: The salt of the other file.
    fileprivate func holds(
        _ own: UInt32, movedFrom other: DataFile, _ salt: UInt32
    ) throws(FileSystemError) -> Bool {
        guard ChecksumTag.mayBeMoved(own, from: salt, within: max(size, other.size)) else { return false }
        var window = try FileWindow(file)
        guard let found = try window.firstRecord(own, to: size) else { return false }
        let record = try window.withBytes(at: found, count: FormatConstants.recordHeaderSize) { Array($0) }
        let place = (found >> 3 ^ UInt64(own ^ salt)) << 3
        var there = try FileWindow(other.file, size: 512)
        return try there.withBytes(at: place, count: record.count) { $0.elementsEqual(record) }
    }
}
