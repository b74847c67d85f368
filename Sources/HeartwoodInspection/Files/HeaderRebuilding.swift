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
        var at = UInt64(FormatConstants.fileHeaderSize)
        while at < size {
            let start = at
            var told: UInt64?
            let read = try window.withBytes(at: start, count: 256 << 10) { bytes -> Int in
                var local = 0
                while local + 80 <= bytes.count {
                    defer { local += 8 }
                    guard bytes.load(UInt32.self, littleEndianAt: local) == FormatConstants.commitMagic,
                        let commit = try? CommitHeader.decode(
                            bytes.slice(local, 48), salt: salt, offset: start + UInt64(local)),
                        let record = try? RecordHeader.decode(
                            bytes.slice(local + 48, 32), salt: salt, offset: start + UInt64(local) + 48, flags: .known),
                        record.sequenceDistance < commit.firstSequence
                    else { continue }
                    told = commit.firstSequence - record.sequenceDistance
                    return local
                }
                return bytes.count
            }
            if let told { return told }
            guard read > 80 else { return nil }
            at = start + UInt64((read - 80) & ~7)
            if read < 256 << 10 { return nil }
        }
        return nil
    }

    // MARK: - The salt

    /// The salt, and what kind of file it is.
    private mutating func findSalt() throws(FileSystemError) -> (UInt32, FileHeader.Kind)? {
        var at = UInt64(FormatConstants.fileHeaderSize)
        var ofCommits: Set<UInt32> = []
        let meaning = meaning
        while at < size {
            let start = at
            var found: (UInt32, FileHeader.Kind)?
            let wanted = 256 << 10
            let read = try window.withBytes(at: start, count: wanted) { bytes -> Int in
                var local = 0
                while local + 40 <= bytes.count, found == nil {
                    if let salt = Self.salt(ofRecordAt: local, in: bytes, start) {
                        found = (salt, Self.kind(recordAt: start + UInt64(local), meaning))
                    } else if let salt = Self.salt(ofCommitAt: local, in: bytes, start),
                        !ofCommits.insert(salt).inserted
                    {
                        found = (salt, .log)
                    }
                    local += 8
                }
                return bytes.count
            }
            if let found { return found }
            // A record that lies across the edge is met in the next window.
            guard read == wanted else { return nil }
            at = start + UInt64(wanted - Self.longestRecord)
            // What lies in both windows is no second witness.
            ofCommits = []
        }
        return nil
    }

    /// In a log a commit stands before the first record, in a snapshot nothing does.
    private static func kind(recordAt offset: UInt64, _ meaning: StoreFileName) -> FileHeader.Kind {
        switch meaning {
        case .log: .log
        case .snapshot: .snapshot
        case .temporary, .lock, .other: offset == UInt64(FormatConstants.fileHeaderSize) ? .snapshot : .log
        }
    }

    /// The salt under which both checksums of a record at this place would hold; nil if there is none, or no record.
    private static func salt(ofRecordAt local: Int, in bytes: UnsafeRawBufferPointer, _ start: UInt64) -> UInt32? {
        let (kind, flags) = (bytes[local], bytes[local + 1])
        guard (1...3).contains(kind), flags < 8 else { return nil }
        let key = Int(bytes.load(UInt16.self, littleEndianAt: local + 2))
        let value = Int(bytes.load(UInt32.self, littleEndianAt: local + 4))
        let length = FormatConstants.recordHeaderSize + alignedUp(key + value)
        guard key > 0, length <= longestRecord, local + length <= bytes.count else { return nil }
        let header = CRC32C.checksum(bytes.slice(local, 28)) ^ bytes.load(littleEndianAt: local + 28)
        let payload = CRC32C.checksum(bytes.slice(local + 32, length - 32)) ^ bytes.load(littleEndianAt: local + 24)
        return header == payload ? ChecksumTag(salt: header, offset: start + UInt64(local)).mask : nil
    }

    /// The salt under which the checksum of a commit's header at this place would hold; nil if there is no magic.
    private static func salt(ofCommitAt local: Int, in bytes: UnsafeRawBufferPointer, _ start: UInt64) -> UInt32? {
        guard bytes.load(UInt32.self, littleEndianAt: local) == FormatConstants.commitMagic,
            local + FormatConstants.commitHeaderSize <= bytes.count
        else { return nil }
        let stored = CRC32C.checksum(bytes.slice(local, 44)) ^ bytes.load(littleEndianAt: local + 44)
        return ChecksumTag(salt: stored, offset: start + UInt64(local)).mask
    }
}
