/// The first 4,096 bytes of every file: its identity and its predecessor. It never changes after it is written.
///
/// | offset | bytes | field |
/// | ---: | ---: | --- |
/// | 0 | 8 | magic `48 57 4F 4F 44 0D 0A 1A` |
/// | 8 | 2 | format version: 3 or 1 for a log, 2 for a snapshot |
/// | 10 | 1 | kind: 1 log, 2 snapshot |
/// | 11 | 1 | flags: none defined |
/// | 12 | 4 | salt, random, not zero |
/// | 16 | 16 | store id |
/// | 32 | 8 | first sequence number; 1 in a snapshot: the sequence distances of its records count from it |
/// | 40 | 4 | predecessor's salt, 0 if there is none; a snapshot's predecessor is the last log that it covers |
/// | 44 | 4 | zero |
/// | 48 | 8 | predecessor's last sequence number |
/// | 56 | 8 | predecessor's end offset |
/// | 64 | 8 | creation time, milliseconds since 1970 |
/// | 72 | 4020 | zero |
/// | 4092 | 4 | CRC-32C of bytes 0 to 4091 |
///
/// The magic, the version and the checksum have the same positions in every version of the format, so that damage and a
/// newer version can be told apart.
package struct FileHeader: Sendable, Hashable {
    /// What a file contains.
    package enum Kind: UInt8, Sendable {
        /// Commits, in the order in which they were accepted.
        case log = 1
        /// Everything up to a sequence number, in key order.
        case snapshot = 2

        /// The newest format version for files of this kind: the one that last changed something in them.
        package var newestVersion: UInt16 {
            switch self {
            case .log: 3
            case .snapshot: 2
            }
        }

        /// Whether files of this kind were ever written in this version.
        func has(version: UInt16) -> Bool {
            switch self {
            case .log: version == 1 || version == 3
            case .snapshot: version == 2
            }
        }
    }

    /// What a file records about its predecessor: the proof that the predecessor is durable up to its end.
    package struct Predecessor: Sendable, Hashable {
        /// The predecessor's salt.
        package var salt: UInt32
        /// The last sequence number in the predecessor.
        package var lastSequence: UInt64
        /// Where the predecessor's last commit ends. Bytes after it are not used.
        package var endOffset: UInt64

        /// Creates a predecessor record.
        package init(salt: UInt32, lastSequence: UInt64, endOffset: UInt64) {
            self.salt = salt
            self.lastSequence = lastSequence
            self.endOffset = endOffset
        }
    }

    /// What the file contains.
    package var kind: Kind
    /// The file's format version.
    package var version: UInt16
    /// The store it belongs to.
    package var storeID: StoreID
    /// Random and not zero; part of every checksum in the file.
    package var salt: UInt32
    /// The sequence number of the file's first batch. Sequence distances in record headers count from it.
    package var firstSequence: UInt64
    /// The file before it; nil if it is the store's first.
    package var predecessor: Predecessor?
    /// Milliseconds since 1970.
    package var creationTime: UInt64

    /// Creates a header for a new file.
    ///
    /// - Parameters:
    ///   - kind: What the file contains.
    ///   - version: Nil: the newest version for the kind.
    ///   - storeID: The store's id.
    ///   - salt: Not 0.
    ///   - firstSequence: As ``firstSequence``.
    ///   - predecessor: The file before it; nil if it is the store's first.
    ///   - creationTime: Milliseconds since 1970.
    package init(
        kind: Kind, version: UInt16? = nil, storeID: StoreID, salt: UInt32, firstSequence: UInt64,
        predecessor: Predecessor?, creationTime: UInt64
    ) {
        precondition(salt != 0 && predecessor?.salt != 0)
        self.kind = kind
        self.version = version ?? kind.newestVersion
        self.storeID = storeID
        self.salt = salt
        self.firstSequence = firstSequence
        self.predecessor = predecessor
        self.creationTime = creationTime
    }

    /// Whether each record of the file says if it continues the batch of the previous record (`continuesBatch`).
    @inline(__always)
    package var marksBatches: Bool { kind == .log && version >= 3 }

    /// The flags that records of required kinds may have in this file.
    @inline(__always)
    package var recordFlags: RecordHeader.Flags { marksBatches ? .known : .original }

    /// The 4,096 bytes of the header.
    package func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: FormatConstants.fileHeaderSize)
        bytes.withUnsafeMutableBytes { buffer in
            let base = buffer.baseAddress!
            buffer.copyBytes(from: FormatConstants.fileMagic)
            base.store(version, littleEndianAt: 8)
            base.store(kind.rawValue, littleEndianAt: 10)
            base.store(salt, littleEndianAt: 12)
            base.store(storeID.low, littleEndianAt: 16)
            base.store(storeID.high, littleEndianAt: 24)
            base.store(firstSequence, littleEndianAt: 32)
            base.store(predecessor?.salt ?? 0, littleEndianAt: 40)
            base.store(predecessor?.lastSequence ?? 0, littleEndianAt: 48)
            base.store(predecessor?.endOffset ?? 0, littleEndianAt: 56)
            base.store(creationTime, littleEndianAt: 64)
            let covered = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<Self.checksumOffset])
            base.store(CRC32C.checksum(covered), littleEndianAt: Self.checksumOffset)
        }
        return bytes
    }

    /// Decodes a header. Total: any bytes give a header or an error.
    ///
    /// - Parameter bytes: The start of a file; may be more than 4,096 bytes.
    /// - Throws: `FormatError`: `.wrongMagic` and `.checksumMismatch` are damage, `.unsupported` is a newer format.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(FormatError) -> FileHeader {
        guard bytes.count >= FormatConstants.fileHeaderSize else { throw .truncated }
        guard bytes.prefix(8).elementsEqual(FormatConstants.fileMagic) else { throw .wrongMagic }
        guard bytes.load(UInt32.self, littleEndianAt: checksumOffset) == CRC32C.checksum(bytes.slice(0, checksumOffset))
        else { throw .checksumMismatch }
        let version = bytes.load(UInt16.self, littleEndianAt: 8)
        guard version != 0, version <= FormatConstants.version else { throw .unsupported(.version(version)) }
        guard let kind = Kind(rawValue: bytes[10]) else { throw .unsupported(.fileKind(bytes[10])) }
        guard kind.has(version: version) else { throw .unsupported(.version(version)) }
        guard bytes[11] == 0 else { throw .unsupported(.fileFlags(bytes[11])) }
        let salt = bytes.load(UInt32.self, littleEndianAt: 12)
        guard salt != 0 else { throw .invalidField(.salt) }
        let firstSequence = bytes.load(UInt64.self, littleEndianAt: 32)
        guard FormatConstants.sequences.contains(firstSequence) else { throw .invalidField(.sequence) }
        guard bytes.slice(44, 4).isZero, bytes.slice(72, checksumOffset - 72).isZero else {
            throw .invalidField(.reserved)
        }
        return FileHeader(
            kind: kind,
            version: version,
            storeID: StoreID(
                low: bytes.load(littleEndianAt: 16),
                high: bytes.load(littleEndianAt: 24)),
            salt: salt,
            firstSequence: firstSequence,
            predecessor: try predecessor(in: bytes),
            creationTime: bytes.load(littleEndianAt: 64))
    }

    private static let checksumOffset = FormatConstants.fileHeaderSize - 4

    private static func predecessor(in bytes: UnsafeRawBufferPointer) throws(FormatError) -> Predecessor? {
        let salt = bytes.load(UInt32.self, littleEndianAt: 40)
        guard salt != 0 else {
            guard bytes.slice(48, 16).isZero else { throw .invalidField(.reserved) }
            return nil
        }
        let lastSequence = bytes.load(UInt64.self, littleEndianAt: 48)
        guard lastSequence < FormatConstants.sequences.upperBound else { throw .invalidField(.sequence) }
        return Predecessor(salt: salt, lastSequence: lastSequence, endOffset: bytes.load(littleEndianAt: 56))
    }
}
