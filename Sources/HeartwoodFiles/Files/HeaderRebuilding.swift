internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Puts a damaged file header together again.
///
/// Of all that it says only the salt is needed to verify what follows, and every item of the file tells it: the stored
/// checksum, the plain one and the offset give the salt that it was made with. Two checksums that name the same one
/// settle it. The numbers are in the commits, or in the file's name. Where a block of another file lies over this one, there
/// are items of several salts: then the name tells which is the file's own.
struct HeaderRebuilding {
    private let file: any File
    private let size: UInt64
    private let meaning: StoreFileName
    private var window: FileWindow
    /// Records with larger values are not asked for the salt.
    private static let longestRecord = 64 << 10
    /// So many salts of commits are remembered.
    private static let mostCommits = 4096
    /// So many salts are tried, 0 among them: for each the file is searched.
    private static let mostSalts = 9

    init(_ file: any File, size: UInt64, _ meaning: StoreFileName) throws(FileSystemError) {
        self.file = file
        self.size = size
        self.meaning = meaning
        window = try FileWindow(file)
    }

    /// nil where no item of the file verifies under any salt. O(bytes that exist).
    mutating func header() throws(FileSystemError) -> FileHeader? {
        try header(insteadOf: nil)
    }

    /// The first header that fits the name, or else the first one.
    ///
    /// - Parameter other: A sound header that stands there: only one that fits the name is better.
    mutating func header(insteadOf other: FileHeader?) throws(FileSystemError) -> FileHeader? {
        let stood = try window.withBytes(at: 0, count: 72) { Fields($0) }
        // Shifted items of this file verify under salts of their own, so what stands in the header is asked first.
        if let other {
            guard try !hasItem(other.salt) else { return try misnumbered(other, stood) }
        } else if stood.salt != 0, try hasItem(stood.salt) {
            return try header(FoundSalt(salt: stood.salt), stood)?.header
        }
        var (first, tried): (FileHeader?, Set<UInt32>) = (nil, [0, stood.salt, other?.salt ?? 0])
        var search = SaltSearch()
        while tried.count < Self.mostSalts, let found = try nextSalt(&search) {
            guard tried.insert(found.salt).inserted, let (header, fits) = try header(found, stood) else { continue }
            if fits { return header }
            first = first ?? header
        }
        return other == nil && !stood.isPlausible ? first : nil
    }

    /// A header of a log that names another first number than its commits, and its name, do.
    private mutating func misnumbered(_ header: FileHeader, _ stood: Fields) throws(FileSystemError) -> FileHeader? {
        guard header.kind == .log, case .log(let named) = meaning, try firstSequence(header.salt) == named else {
            return nil
        }
        return try log(header.salt, stood, named)
    }

    /// - Returns: Whether it also fits the name.
    private mutating func header(
        _ found: FoundSalt, _ stood: Fields
    ) throws(FileSystemError) -> (header: FileHeader, fits: Bool)? {
        let salt = found.salt
        let isStood = stood.salt == salt
        if try hasFooter(salt) { return snapshot(salt, stood).map { ($0, isNamed(.snapshot)) } }
        if let first = try firstSequence(salt) {
            guard let header = try log(salt, stood, first) else { return nil }
            if case .log(let named) = meaning { return (header, named == first) }
            return (header, isNamed(.log))
        }
        // What stands beside the salt is the better witness than the name: files are renamed.
        let hasKeys = try hasKeyBlock(salt)
        let kind = hasKeys ? .snapshot : (isStood ? stood.kind : nil) ?? found.kind(meaning)
        let header = kind == .log ? try log(salt, stood, nil) : snapshot(salt, stood)
        return header.map { ($0, hasKeys && isNamed(.snapshot)) }
    }

    private func isNamed(_ kind: FileHeader.Kind) -> Bool {
        switch meaning {
        case .log: kind == .log
        case .snapshot: kind == .snapshot
        case .temporary, .lock, .other: true
        }
    }

    /// What stands where a header should be.
    private struct Fields {
        var version: UInt16 = 0
        var hasMagic = false
        var kind: FileHeader.Kind?
        var salt: UInt32 = 0
        var storeID = StoreID(low: 0, high: 0)
        var firstSequence: UInt64 = 0
        var predecessor: FileHeader.Predecessor?
        var time: UInt64 = 0

        /// Whether the salt was probably not damaged: what stands around it could be a header's. Its time lies between the
        /// years 2004 and 2248.
        var isPlausible: Bool {
            hasMagic && (1...3).contains(version) && kind != nil && salt != 0
                && FormatConstants.sequences.contains(firstSequence) && (1 << 40..<1 << 43).contains(time)
        }

        /// Whether the first number is one that follows the predecessor's last, or that an opening jumps to.
        var numbersFollow: Bool {
            let last = predecessor?.lastSequence ?? 0
            return firstSequence > last
                && (firstSequence == last + 1 || firstSequence % FormatConstants.sequenceEpoch == 0)
        }

        init(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count == 72 else { return }
            version = bytes.load(littleEndianAt: 8)
            hasMagic = bytes.prefix(8).elementsEqual(FormatConstants.fileMagic)
            kind = FileHeader.Kind(rawValue: bytes[10])
            self.salt = bytes.load(littleEndianAt: 12)
            storeID = StoreID(low: bytes.load(littleEndianAt: 16), high: bytes.load(littleEndianAt: 24))
            firstSequence = bytes.load(littleEndianAt: 32)
            let salt = bytes.load(UInt32.self, littleEndianAt: 40)
            if salt != 0 {
                predecessor = FileHeader.Predecessor(
                    salt: salt, lastSequence: bytes.load(littleEndianAt: 48), endOffset: bytes.load(littleEndianAt: 56))
            }
            time = bytes.load(littleEndianAt: 64)
        }
    }

    private mutating func log(
        _ salt: UInt32, _ stood: Fields, _ told: UInt64?
    ) throws(FileSystemError) -> FileHeader? {
        var first = stood.firstSequence
        if case .log(let named) = meaning, stood.salt != salt || !stood.isPlausible || !stood.numbersFollow {
            first = named
        }
        if let told { first = told }
        guard FormatConstants.sequences.contains(first) else { return nil }
        var predecessor = stood.salt == salt ? stood.predecessor : nil
        if let last = predecessor?.lastSequence, last >= first { predecessor = nil }
        // The version may be what is damaged: no record of version 1 says that it goes on with a batch.
        var isOriginal = stood.version == 1
        if isOriginal { isOriginal = try !hasRecord(salt) { $0.flags.contains(.continuesBatch) } }
        return FileHeader(
            kind: .log, version: isOriginal ? 1 : nil, storeID: stood.storeID, salt: salt, firstSequence: first,
            predecessor: predecessor, creationTime: stood.time)
    }

    private func snapshot(_ salt: UInt32, _ stood: Fields) -> FileHeader? {
        // Beside another salt stand the fields of another file's header, or damage.
        var end = FileHeader.Predecessor(salt: 1, lastSequence: 0, endOffset: 0)
        if stood.salt == salt, let predecessor = stood.predecessor { end = predecessor }
        // Other files may tell better; with number 1 no later record counts.
        if end.lastSequence == 0 || end.lastSequence >= FormatConstants.possibleSequences.upperBound {
            end.lastSequence = 1
            if case .snapshot(let named) = meaning, named > 0 { end.lastSequence = named }
        }
        return FileHeader(
            kind: .snapshot, storeID: stood.storeID, salt: salt, firstSequence: 1, predecessor: end,
            // Values expire by it: a damaged one could be far ahead.
            creationTime: 0)
    }

    /// A commit names its first number, and the record behind it how far that is from the file's first.
    private mutating func firstSequence(_ salt: UInt32) throws(FileSystemError) -> UInt64? {
        let commitSize = FormatConstants.commitHeaderSize
        return try window.firstItem(
            from: UInt64(FormatConstants.fileHeaderSize), to: size,
            headerBytes: commitSize + FormatConstants.recordHeaderSize, glance: CommitHeader.mayBegin
        ) { bytes, offset in
            guard let commit = try? CommitHeader.decode(bytes.slice(0, commitSize), salt: salt, offset: offset),
                let record = try? RecordHeader.decode(
                    bytes.slice(commitSize, FormatConstants.recordHeaderSize), salt: salt,
                    offset: offset + UInt64(commitSize), flags: .known),
                record.sequenceDistance < commit.firstSequence
            else { return nil }
            return commit.firstSequence - record.sequenceDistance
        }
    }

    /// Whether the header of any item verifies.
    private mutating func hasItem(_ salt: UInt32) throws(FileSystemError) -> Bool {
        if try hasFooter(salt) { return true }
        let found = try window.firstItem(
            from: UInt64(FormatConstants.fileHeaderSize), to: size, headerBytes: FormatConstants.commitHeaderSize,
            glance: CommitHeader.mayBegin
        ) { bytes, offset -> Bool? in
            (try? CommitHeader.decode(bytes, salt: salt, offset: offset)) == nil ? nil : true
        }
        if found != nil { return true }
        if try hasRecord(salt, where: { _ in true }) { return true }
        return try hasKeyBlock(salt)
    }

    /// Whether the header of such a record verifies.
    private mutating func hasRecord(
        _ salt: UInt32, where isWanted: (RecordHeader) -> Bool
    ) throws(FileSystemError) -> Bool {
        let found = try window.firstItem(
            from: UInt64(FormatConstants.fileHeaderSize), to: size, headerBytes: FormatConstants.recordHeaderSize,
            glance: { RecordHeader.mayBegin($0, flags: .known) }
        ) { bytes, offset -> Bool? in
            (try? RecordHeader.decode(bytes, salt: salt, offset: offset, flags: .known)).flatMap {
                isWanted($0) ? true : nil
            }
        }
        return found ?? false
    }

    /// Whether a snapshot of this salt ends where the file does.
    private mutating func hasFooter(_ salt: UInt32) throws(FileSystemError) -> Bool {
        let offset = size - min(size, UInt64(SnapshotFooter.encodedSize))
        return try window.withBytes(at: offset, count: SnapshotFooter.encodedSize) { bytes in
            (try? SnapshotFooter.decode(bytes, salt: salt, offset: offset)) != nil
        }
    }

    private mutating func hasKeyBlock(_ salt: UInt32) throws(FileSystemError) -> Bool {
        let found = try window.firstItem(
            from: UInt64(FormatConstants.fileHeaderSize), to: size, headerBytes: KeyBlock.headerSize,
            glance: KeyBlock.mayBegin
        ) { bytes, offset in
            (try? KeyBlock.decodeHeader(bytes, salt: salt, offset: offset)).map { _ in true }
        }
        return found ?? false
    }

    // MARK: - The salt

    /// How far the search for salts is.
    private struct SaltSearch {
        var at = UInt64(FormatConstants.fileHeaderSize)
        var ofCommits: Set<UInt32> = []
        // Where everything looks like a record, not each of them is read: no more than all bytes a few times.
        var allowance = 1 << 20
    }

    private struct FoundSalt {
        var salt: UInt32
        /// Where the record is that tells it; nil where commits do.
        var record: UInt64?

        /// What a file is in which nothing but records verifies: in a log a commit stands before the first record, in a
        /// snapshot nothing does.
        func kind(_ meaning: StoreFileName) -> FileHeader.Kind {
            guard let record else { return .log }
            if case .snapshot = meaning { return .snapshot }
            return record == UInt64(FormatConstants.fileHeaderSize) ? .snapshot : .log
        }
    }

    /// The next salt that an item tells, which may be one that was found before. O(bytes that exist up to there).
    private mutating func nextSalt(_ search: inout SaltSearch) throws(FileSystemError) -> FoundSalt? {
        while let found = try nextCandidate(from: search.at, &search.allowance) {
            search.at = found.offset + 8
            let salt = try window.withBytes(at: found.offset, count: found.length) { bytes in
                found.isCommit
                    ? Self.salt(ofCommit: bytes, at: found.offset) : Self.salt(ofRecord: bytes, at: found.offset)
            }
            guard let salt else { continue }
            if !found.isCommit { return FoundSalt(salt: salt, record: found.offset) }
            if search.ofCommits.count == Self.mostCommits { search.ofCommits.removeAll(keepingCapacity: true) }
            if !search.ofCommits.insert(salt).inserted { return FoundSalt(salt: salt) }
        }
        return nil
    }

    /// A place at which a record or the header of a commit may stand.
    private struct Candidate {
        var offset: UInt64
        var length: Int
        var isCommit: Bool
    }

    private mutating func nextCandidate(
        from start: UInt64, _ allowance: inout Int
    ) throws(FileSystemError) -> Candidate? {
        var left = allowance
        let found = try window.firstItem(
            from: start, to: size, headerBytes: FormatConstants.recordHeaderSize + 8,
            glance: { word in
                left = min(left + 4 * 8, 1 << 20)
                return CommitHeader.mayBegin(word) || RecordHeader.mayBegin(word, flags: .known)
            }
        ) { bytes, offset -> Candidate? in
            let isCommit = bytes.load(UInt32.self, littleEndianAt: 0) == FormatConstants.commitMagic
            guard let length = isCommit ? FormatConstants.commitHeaderSize : Self.length(ofRecord: bytes) else {
                return nil
            }
            // To look at one costs as much as some hundred bytes.
            guard length + 512 <= left else { return nil }
            left -= length + 512
            return Candidate(offset: offset, length: length, isCommit: isCommit)
        }
        allowance = left
        return found
    }

    /// How long the record is that may stand at the beginning of these bytes; nil where there can be none.
    private static func length(ofRecord bytes: UnsafeRawBufferPointer) -> Int? {
        let (kind, flags) = (bytes[0], bytes[1])
        guard (1...3).contains(kind), flags < 8 else { return nil }
        let key = Int(bytes.load(UInt16.self, littleEndianAt: 2))
        let value = Int(bytes.load(UInt32.self, littleEndianAt: 4))
        let length = FormatConstants.recordHeaderSize + alignedUp(key + value)
        return key > 0 && length <= longestRecord ? length : nil
    }

    /// The salt under which both checksums of a record at this place would hold; nil if there is none, or no record.
    private static func salt(ofRecord bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt32? {
        guard bytes.count > FormatConstants.recordHeaderSize, length(ofRecord: bytes) == bytes.count else { return nil }
        let header = CRC32C.checksum(bytes.slice(0, 28)) ^ bytes.load(littleEndianAt: 28)
        let payload = CRC32C.checksum(bytes.slice(32, bytes.count - 32)) ^ bytes.load(littleEndianAt: 24)
        return header == payload ? ChecksumTag(salt: header, offset: offset).mask : nil
    }

    /// The salt under which the checksum of a commit's header would hold; nil if it isn't whole.
    private static func salt(ofCommit bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt32? {
        guard bytes.count == FormatConstants.commitHeaderSize else { return nil }
        let stored = CRC32C.checksum(bytes.slice(0, 44)) ^ bytes.load(littleEndianAt: 44)
        return ChecksumTag(salt: stored, offset: offset).mask
    }
}
