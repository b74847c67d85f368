/// Where the fields of a record's header are, in bytes from its start. Everything that reads or writes a header as
/// bytes takes the offsets from here; `RecordHeader` has the table with what they mean.
enum RecordLayout {
    static let kind = 0
    static let flags = 1
    static let keyLength = 2
    static let valueLength = 4
    static let sequenceDistance = 8
    static let expiry = 16
    static let payloadChecksum = 24
    static let headerChecksum = 28
}

extension RecordHeader {
    /// Reads the fields of a header and verifies none of them: for a header that this process has just encoded, or
    /// whose checksum is compared next.
    ///
    /// - Precondition: `bytes` has at least the bytes of a header.
    @inline(__always)
    package init(unverified bytes: UnsafeRawBufferPointer) {
        self.init(
            kind: RecordKind(byte: bytes[RecordLayout.kind]),
            flags: Flags(rawValue: bytes[RecordLayout.flags]),
            keyLength: bytes.load(littleEndianAt: RecordLayout.keyLength),
            valueLength: bytes.load(littleEndianAt: RecordLayout.valueLength),
            sequenceDistance: bytes.load(littleEndianAt: RecordLayout.sequenceDistance),
            expiry: bytes.load(littleEndianAt: RecordLayout.expiry),
            payloadChecksum: bytes.load(littleEndianAt: RecordLayout.payloadChecksum))
    }

    /// Writes the fields, with checksums that are not yet bound to a position. `bind` completes the header.
    @inline(__always)
    func store(to memory: UnsafeMutableRawPointer) {
        memory.store(kind.rawValue, littleEndianAt: RecordLayout.kind)
        memory.store(flags.rawValue, littleEndianAt: RecordLayout.flags)
        memory.store(keyLength, littleEndianAt: RecordLayout.keyLength)
        memory.store(valueLength, littleEndianAt: RecordLayout.valueLength)
        memory.store(sequenceDistance, littleEndianAt: RecordLayout.sequenceDistance)
        memory.store(expiry, littleEndianAt: RecordLayout.expiry)
        memory.store(payloadChecksum, littleEndianAt: RecordLayout.payloadChecksum)
        memory.store(0 as UInt32, littleEndianAt: RecordLayout.headerChecksum)
    }

    /// Completes a stored header: writes the distance of its sequence number, and binds both checksums to the record's
    /// offset in its file.
    @inline(__always)
    package static func bind(_ memory: UnsafeMutableRawPointer, sequenceDistance: UInt64, tag: ChecksumTag) {
        let bytes = UnsafeRawBufferPointer(start: memory, count: FormatConstants.recordHeaderSize)
        memory.store(sequenceDistance, littleEndianAt: RecordLayout.sequenceDistance)
        let payload = bytes.load(UInt32.self, littleEndianAt: RecordLayout.payloadChecksum)
        memory.store(tag.apply(payload), littleEndianAt: RecordLayout.payloadChecksum)
        let crc = CRC32C.checksum(bytes.slice(0, RecordLayout.headerChecksum))
        memory.store(tag.apply(crc), littleEndianAt: RecordLayout.headerChecksum)
    }

    /// Encodes the header of a record that was read elsewhere and is copied to another position. It is a batch of its
    /// own there, unless `batch` says otherwise. Its payload is unchanged, and so is its checksum.
    package func encode(
        to memory: UnsafeMutableRawPointer, batch: Flags = [], sequenceDistance: UInt64, tag: ChecksumTag
    ) {
        var copy = self
        copy.flags = flags.subtracting([.batchContinues, .continuesBatch]).union(batch)
        copy.store(to: memory)
        Self.bind(memory, sequenceDistance: sequenceDistance, tag: tag)
    }

    /// The length of the record that may begin with these bytes, without regard to its checksums; nil if none can.
    ///
    /// - Precondition: `bytes` has at least the bytes of a header.
    package static func possibleLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let header = RecordHeader(unverified: bytes)
        if case .optional = header.kind { return nil }
        return header.flags.isSubset(of: .known) && header.keyLength > 0 ? header.encodedLength : nil
    }

    /// The salt with which both checksums of a record at this offset are right; nil if there is none.
    ///
    /// - Parameter bytes: The whole record.
    package static func salt(of bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt32? {
        let size = FormatConstants.recordHeaderSize
        let header =
            CRC32C.checksum(bytes.slice(0, RecordLayout.headerChecksum))
            ^ bytes.load(littleEndianAt: RecordLayout.headerChecksum)
        let payload =
            CRC32C.checksum(bytes.slice(size, bytes.count - size))
            ^ bytes.load(littleEndianAt: RecordLayout.payloadChecksum)
        return header == payload ? ChecksumTag(salt: header, offset: offset).mask : nil
    }
}
