internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Puts a damaged file header together again.
///
/// Of all that it says only the salt is needed to verify what follows, and every item of the file tells it: the stored
/// checksum, the plain one and the offset give the salt that it was made with. Two checksums that name the same one
/// settle it. The numbers are in the commits, or in the file's name.
struct HeaderRebuilding {
    private let file: any File
    private let size: UInt64
    private let meaning: StoreFileName
    private var window: FileWindow
    /// Records with larger values are not asked for the salt.
    private static let longestRecord = 64 << 10
    /// So many salts of commits are remembered.
    private static let mostCommits = 4096

    init(_ file: any File, size: UInt64, _ meaning: StoreFileName) throws(FileSystemError) {
        self.file = file
        self.size = size
        self.meaning = meaning
        window = try FileWindow(file)
    }

    /// nil where no item of the file verifies under any salt.
    mutating func header() throws(FileSystemError) -> FileHeader? {
        guard let (salt, kind) = try findSalt(), salt != 0 else { return nil }
        let stood = try window.withBytes(at: 0, count: 72) { Fields($0) }
        switch kind {
        case .log: return try log(salt, stood)
        case .snapshot: return snapshot(salt, stood)
        }
    }

    /// What stands where a header should be.
    private struct Fields {
        var version: UInt16 = 0
        var storeID = StoreID(low: 0, high: 0)
        var firstSequence: UInt64 = 0
        var predecessor: FileHeader.Predecessor?
        var time: UInt64 = 0

        init(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count == 72 else { return }
            version = bytes.load(littleEndianAt: 8)
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

    private mutating func log(_ salt: UInt32, _ stood: Fields) throws(FileSystemError) -> FileHeader? {
        var first = stood.firstSequence
        if case .log(let named) = meaning { first = named }
        if let told = try firstSequence(salt) { first = told }
        guard FormatConstants.sequences.contains(first) else { return nil }
        var predecessor = stood.predecessor
        if let last = predecessor?.lastSequence, last >= first { predecessor = nil }
        return FileHeader(
            kind: .log, version: stood.version == 1 ? 1 : nil, storeID: stood.storeID, salt: salt, firstSequence: first,
            predecessor: predecessor, creationTime: stood.time)
    }

    private func snapshot(_ salt: UInt32, _ stood: Fields) -> FileHeader? {
        var end = stood.predecessor ?? FileHeader.Predecessor(salt: 1, lastSequence: 0, endOffset: 0)
        if case .snapshot(let named) = meaning { end.lastSequence = named }
        guard end.lastSequence > 0, end.lastSequence < FormatConstants.sequences.upperBound else { return nil }
        return FileHeader(
            kind: .snapshot, storeID: stood.storeID, salt: salt, firstSequence: 1, predecessor: end,
            creationTime: stood.time)
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

    // MARK: - The salt

    /// The salt, and what kind of file it is. O(bytes that exist).
    private mutating func findSalt() throws(FileSystemError) -> (UInt32, FileHeader.Kind)? {
        var at = UInt64(FormatConstants.fileHeaderSize)
        var ofCommits: Set<UInt32> = []
        // Where everything looks like a record, not each of them is read: no more than all bytes a few times.
        var allowance = 1 << 20
        while let found = try nextCandidate(from: at, &allowance) {
            at = found.offset + 8
            let salt = try window.withBytes(at: found.offset, count: found.length) { bytes in
                found.isCommit
                    ? Self.salt(ofCommit: bytes, at: found.offset) : Self.salt(ofRecord: bytes, at: found.offset)
            }
            guard let salt else { continue }
            if !found.isCommit { return (salt, Self.kind(recordAt: found.offset, meaning)) }
            if ofCommits.count == Self.mostCommits { ofCommits.removeAll(keepingCapacity: true) }
            if !ofCommits.insert(salt).inserted { return (salt, .log) }
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

    /// In a log a commit stands before the first record, in a snapshot nothing does.
    private static func kind(recordAt offset: UInt64, _ meaning: StoreFileName) -> FileHeader.Kind {
        switch meaning {
        case .log: .log
        case .snapshot: .snapshot
        case .temporary, .lock, .other: offset == UInt64(FormatConstants.fileHeaderSize) ? .snapshot : .log
        }
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
