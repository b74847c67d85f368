/// The header of a commit. A commit is what one write to the log contains; a crash keeps all of it or none.
///
/// | offset | bytes | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | magic `48 57 43 4D` ("HWCM") |
/// | 4 | 4 | flags: 1 sync mark, 2 closing |
/// | 8 | 8 | length of the body in bytes, a multiple of 8 |
/// | 16 | 8 | sequence number of the first batch (if there are no records: of the batch that will follow) |
/// | 24 | 8 | sync mark: every byte of this file before this offset was durable when the commit was written |
/// | 32 | 8 | time of the store, milliseconds since 1970, never less than the previous commit's |
/// | 40 | 4 | number of records |
/// | 44 | 4 | CRC-32C of bytes 0 to 43, tagged with the commit's offset |
public struct CommitHeader: Sendable, Hashable {
    /// Properties of a commit.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// The stored bits.
        public let rawValue: UInt32
        /// Flags with these bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// A sync mark: a commit without records, written at a 4,096-byte boundary when the log is idle. It says that
        /// everything before it is durable.
        public static let mark = Flags(rawValue: 1)
        /// A sync mark that a clean close wrote: the log ends here, and nothing is missing.
        public static let closing = Flags(rawValue: 2)

        static let known: Flags = [.mark, .closing]
    }

    /// Flags of the commit.
    public var flags: Flags
    /// Bytes of the records that follow the header.
    public var bodyLength: UInt64
    /// The sequence number of the first batch, or of the next one if there are no records.
    public var firstSequence: UInt64
    /// Every byte of the file before this offset was durable when the commit was written.
    public var syncedMark: UInt64
    /// Milliseconds since 1970; never less than the previous commit's.
    public var time: UInt64
    /// Number of records (not of batches).
    public var recordCount: UInt32

    /// Creates a header.
    public init(
        flags: Flags = [], bodyLength: UInt64, firstSequence: UInt64, syncedMark: UInt64, time: UInt64,
        recordCount: UInt32
    ) {
        self.flags = flags
        self.bodyLength = bodyLength
        self.firstSequence = firstSequence
        self.syncedMark = syncedMark
        self.time = time
        self.recordCount = recordCount
    }

    /// Writes the 48 bytes of the header, for a commit at `offset` of the file with `salt`.
    ///
    /// - Precondition: `pointer` has space for 48 bytes.
    package func encode(to pointer: UnsafeMutableRawPointer, salt: UInt32, offset: UInt64) {
        pointer.store(FormatConstants.commitMagic, littleEndianAt: 0)
        pointer.store(flags.rawValue, littleEndianAt: 4)
        pointer.store(bodyLength, littleEndianAt: 8)
        pointer.store(firstSequence, littleEndianAt: 16)
        pointer.store(syncedMark, littleEndianAt: 24)
        pointer.store(time, littleEndianAt: 32)
        pointer.store(recordCount, littleEndianAt: 40)
        let crc = CRC32C.checksum(UnsafeRawBufferPointer(start: pointer, count: Self.checksumOffset))
        pointer.store(ChecksumTag(salt: salt, offset: offset).apply(crc), littleEndianAt: Self.checksumOffset)
    }

    /// The 48 bytes of the header, for a commit at `offset` of the file with `salt`.
    public func encoded(salt: UInt32, offset: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: FormatConstants.commitHeaderSize) { buffer, count in
            encode(to: UnsafeMutableRawPointer(buffer.baseAddress!), salt: salt, offset: offset)
            count = FormatConstants.commitHeaderSize
        }
    }

    /// Decodes the header of a commit at `offset` of the file with `salt`. Total: any bytes give a header or an error.
    ///
    /// The returned header is consistent in itself. The caller checks whether it fits the file's size and the earlier
    /// commits.
    ///
    /// - Parameters:
    ///   - bytes: The file from `offset` on.
    ///   - salt: The salt in the file's header.
    ///   - offset: Where in the file they are.
    ///   - allowingUnknownFlags: For callers that use only the header's sync mark.
    /// - Throws: `FormatError`.
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, salt: UInt32, offset: UInt64, allowingUnknownFlags: Bool = false
    ) throws(FormatError) -> CommitHeader {
        guard bytes.count >= FormatConstants.commitHeaderSize else { throw .truncated }
        guard bytes.load(UInt32.self, littleEndianAt: 0) == FormatConstants.commitMagic else { throw .wrongMagic }
        let crc = CRC32C.checksum(bytes.slice(0, checksumOffset))
        guard
            bytes.load(UInt32.self, littleEndianAt: checksumOffset)
                == ChecksumTag(salt: salt, offset: offset).apply(crc)
        else { throw .checksumMismatch }
        let header = CommitHeader(
            flags: Flags(rawValue: bytes.load(littleEndianAt: 4)),
            bodyLength: bytes.load(littleEndianAt: 8),
            firstSequence: bytes.load(littleEndianAt: 16),
            syncedMark: bytes.load(littleEndianAt: 24),
            time: bytes.load(littleEndianAt: 32),
            recordCount: bytes.load(littleEndianAt: 40))
        guard header.syncedMark <= offset else { throw .invalidField(.syncedMark) }
        if allowingUnknownFlags, !header.flags.isSubset(of: .known) { return header }
        try header.validate()
        return header
    }

    /// Whether a commit header may begin with these eight bytes, the first of which is the lowest.
    @inline(__always)
    package static func mayBegin(_ word: UInt64) -> Bool {
        UInt32(truncatingIfNeeded: word) == FormatConstants.commitMagic
    }

    private static let checksumOffset = FormatConstants.commitHeaderSize - 4

    private func validate() throws(FormatError) {
        guard flags.isSubset(of: .known) else { throw .unsupported(.commitFlags(flags.rawValue)) }
        guard bodyLength % 8 == 0 else { throw .invalidField(.bodyLength) }
        let smallest = UInt64(recordCount) * UInt64(FormatConstants.recordHeaderSize)
        guard bodyLength >= smallest, (bodyLength == 0) == (recordCount == 0) else {
            throw .invalidField(.recordCount)
        }
        guard flags.contains(.mark) == (recordCount == 0) else { throw .invalidField(.recordCount) }
        guard flags.contains(.mark) || !flags.contains(.closing) else { throw .invalidField(.recordCount) }
    }
}
