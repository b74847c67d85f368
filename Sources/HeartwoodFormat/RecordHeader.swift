/// What a record does to its key.
public enum RecordKind: Sendable, Hashable {
    /// Sets the value.
    case put
    /// Sets the value until a point in time.
    case putExpiring
    /// Removes the key.
    case delete
    /// A kind of a later version that may be skipped.
    case optional(UInt8)

    /// A batch of its own without key and value. A repaired store says with it that the batch with its number could not
    /// be recovered. Optional, because it changes no key.
    public static let lostBatch = RecordKind.optional(128)

    /// The stored byte.
    public var rawValue: UInt8 {
        switch self {
        case .put: 1
        case .putExpiring: 2
        case .delete: 3
        case .optional(let value): value
        }
    }

    /// The kind of a stored byte. Of those that this version doesn't know, only the ones from
    /// `FormatConstants.firstOptionalKind` on may be skipped.
    @inline(__always)
    init(byte: UInt8) {
        switch byte {
        case 1: self = .put
        case 2: self = .putExpiring
        case 3: self = .delete
        default: self = .optional(byte)
        }
    }
}

/// The 32 bytes before a record's key and value. They have their own checksum, so that no length is used unverified.
///
/// | offset | bytes | field |
/// | ---: | ---: | --- |
/// | 0 | 1 | kind: 1 put, 2 put with expiry, 3 delete; from 128 on optional |
/// | 1 | 1 | flags: 1 next record is of the same batch, 2 compressed, 4 continues a batch (only in a log of version 3)
/// |
/// | 2 | 2 | length of the key |
/// | 4 | 4 | length of the value as stored |
/// | 8 | 8 | distance of its sequence number from the file's first |
/// | 16 | 8 | expiry, milliseconds since 1970 (kind 2; else 0) |
/// | 24 | 4 | CRC-32C of key, stored value and padding, tagged with the record's offset |
/// | 28 | 4 | CRC-32C of bytes 0 to 27, tagged with the record's offset |
///
/// Key, value and zeros up to the next multiple of 8 follow. A compressed value is stored as its uncompressed length (4
/// bytes), then raw deflate.
public struct RecordHeader: Sendable, Hashable {
    /// Properties of a record.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The stored bits.
        public let rawValue: UInt8
        /// Flags with these bits.
        @inline(__always)
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The next record belongs to the same batch.
        public static let batchContinues = Flags(rawValue: 1)
        /// The value is stored as its uncompressed length, followed by raw deflate.
        public static let compressed = Flags(rawValue: 2)

        /// The record belongs to the same batch as the previous record. So a record shows whether it is the first of
        /// its batch even if everything before it is lost. Only in a log of version 3.
        public static let continuesBatch = Flags(rawValue: 4)

        /// The flags in a log of version 1 and in a snapshot.
        public static let original: Flags = [.batchContinues, .compressed]
        /// The flags in a log of version 3.
        public static let known: Flags = [.batchContinues, .compressed, .continuesBatch]
    }

    /// What the record does.
    public var kind: RecordKind
    /// Flags of the record.
    public var flags: Flags
    /// Bytes of the key.
    public var keyLength: UInt16
    /// Bytes of the value as stored.
    public var valueLength: UInt32
    /// Its sequence number minus the file's first.
    public var sequenceDistance: UInt64
    /// Milliseconds since 1970; 0: never.
    public var expiry: UInt64
    /// The plain CRC-32C of key, stored value and padding (without the tag).
    public var payloadChecksum: UInt32

    /// Creates a header.
    @inline(__always)
    public init(
        kind: RecordKind, flags: Flags = [], keyLength: UInt16, valueLength: UInt32, sequenceDistance: UInt64,
        expiry: UInt64, payloadChecksum: UInt32
    ) {
        self.kind = kind
        self.flags = flags
        self.keyLength = keyLength
        self.valueLength = valueLength
        self.sequenceDistance = sequenceDistance
        self.expiry = expiry
        self.payloadChecksum = payloadChecksum
    }

    /// Bytes of key and value, without padding. At most 65,535 bytes and 4 GiB, so it can't overflow.
    @inlinable
    @inline(__always)
    public var payloadLength: Int { Int(keyLength) + Int(valueLength) }

    /// Bytes of the whole record: header, key, value and padding.
    @inlinable
    @inline(__always)
    public var encodedLength: Int { FormatConstants.recordHeaderSize + alignedUp(payloadLength) }

    /// Decodes the header of a record at `offset` of the file with `salt`. Total: any bytes give a header or an error.
    ///
    /// - Parameters:
    ///   - bytes: The file from `offset` on.
    ///   - salt: The salt in the file's header.
    ///   - offset: Where in the file they are.
    ///   - known: The flags that the file's records may have: `FileHeader.recordFlags`.
    /// - Throws: `.checksumMismatch` for damage, `.unsupported` for a required kind or flag of a newer version.
    @inline(__always)
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, salt: UInt32, offset: UInt64, flags known: Flags
    ) throws(FormatError) -> RecordHeader {
        guard bytes.count >= FormatConstants.recordHeaderSize else { throw .truncated }
        let tag = ChecksumTag(salt: salt, offset: offset)
        let crc = CRC32C.checksum(bytes.slice(0, RecordLayout.headerChecksum))
        guard bytes.load(UInt32.self, littleEndianAt: RecordLayout.headerChecksum) == tag.apply(crc) else {
            throw .checksumMismatch
        }
        var header = RecordHeader(unverified: bytes)
        header.payloadChecksum = tag.apply(header.payloadChecksum)
        try header.validate(known)
        return header
    }

    /// Whether it is the record of a value with this expiry; 0: no expiry.
    @inline(__always)
    package func isValue(expiring expiry: UInt64) -> Bool {
        (kind == .put || kind == .putExpiring) && self.expiry == expiry
    }

    /// Whether a snapshot that covers everything up to this number can contain it.
    @inline(__always)
    package func canBeInSnapshot(upTo sequence: UInt64) -> Bool {
        sequenceDistance < sequence && !flags.contains(.batchContinues)
    }

    /// Whether a record header, also of a kind that may be skipped, may begin with these eight bytes, the first of
    /// which is the lowest.
    @inline(__always)
    package static func mayBegin(_ word: UInt64, flags known: Flags) -> Bool {
        let kind = UInt8(truncatingIfNeeded: word >> (8 * RecordLayout.kind))
        if case .optional = RecordKind(byte: kind) { return kind >= FormatConstants.firstOptionalKind }
        return Flags(rawValue: UInt8(truncatingIfNeeded: word >> (8 * RecordLayout.flags))).isSubset(of: known)
    }

    @inline(__always)
    private func validate(_ known: Flags) throws(FormatError) {
        if case .optional(let byte) = kind, byte < FormatConstants.firstOptionalKind {
            throw .unsupported(.recordKind(byte))
        }
        guard encodedLength <= FormatConstants.maximumBatchBytes else { throw .invalidField(.valueLength) }
        if case .optional = kind { return }
        guard flags.isSubset(of: known) else { throw .unsupported(.recordFlags(flags.rawValue)) }
        guard keyLength > 0 else { throw .invalidField(.keyLength) }
        guard (kind == .putExpiring) == (expiry != 0) else { throw .invalidField(.expiry) }
        if kind == .delete {
            guard valueLength == 0, !flags.contains(.compressed) else { throw .invalidField(.valueLength) }
        }
        guard !flags.contains(.compressed) || valueLength > 4 else { throw .invalidField(.valueLength) }
    }
}
