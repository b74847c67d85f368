/// The encoded records of one batch, complete except for what depends on their position. The caller's task encodes it
/// in parallel with others. Once its position and number are known, `RecordPlacement` fills in the rest.
///
/// Large values are not copied: they are kept beside the bytes as *externals*, each with the position at which it
/// belongs.
package struct EncodedBatch: Sendable {
    /// A value that is kept outside `bytes`.
    package struct External: Sendable {
        /// Where in `bytes` the value belongs: after its key, before its padding.
        package let position: Int
        /// The value as stored.
        package let value: [UInt8]
    }

    /// Headers, keys, values that were copied, and padding.
    package private(set) var bytes: [UInt8] = []
    /// Values that were not copied, by ascending position.
    package private(set) var externals: [External] = []
    /// Number of records.
    package private(set) var recordCount = 0
    /// Bytes of keys and values as the caller passed them, before compression.
    package private(set) var acceptedBytes = 0
    /// Whether all of its records remove keys.
    package private(set) var removesOnly = true
    private var externalBytes = 0
    private var lastHeader = 0

    package init() {}

    /// Bytes that the batch takes in the log.
    package var encodedLength: Int { bytes.count + externalBytes }

    package mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

    /// Appends a record and copies its value. O(bytes).
    ///
    /// - Precondition: The lengths were checked against the limits of the format.
    package mutating func append(
        _ kind: RecordKind, flags: RecordHeader.Flags = [], key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer, expiry: UInt64 = 0, acceptedBytes accepted: Int
    ) {
        let payload = key.count + value.count
        let (start, flags) = beginRecord(flags)
        let length = FormatConstants.recordHeaderSize + alignedUp(payload)
        bytes.append(addingCapacity: length) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                let header = UnsafeMutableRawPointer(buffer.baseAddress! + count)
                let body = header + FormatConstants.recordHeaderSize
                if let source = key.baseAddress { body.copyMemory(from: source, byteCount: key.count) }
                if let source = value.baseAddress {
                    (body + key.count).copyMemory(from: source, byteCount: value.count)
                }
                var padding = payload
                while padding < length - FormatConstants.recordHeaderSize {
                    body.storeBytes(of: 0, toByteOffset: padding, as: UInt8.self)
                    padding += 1
                }
                let crc = CRC32C.checksum(UnsafeRawBufferPointer(start: body, count: alignedUp(payload)))
                Self.writeHeader(
                    to: header, kind, flags, key: key.count, value: value.count, expiry: expiry, checksum: crc)
                count += length
            }
        }
        endRecord(kind, at: start, accepted: accepted)
    }

    /// Appends a record whose value is kept outside `bytes`.
    package mutating func append(
        _ kind: RecordKind, flags: RecordHeader.Flags = [], key: UnsafeRawBufferPointer,
        external value: [UInt8], expiry: UInt64 = 0, acceptedBytes accepted: Int
    ) {
        let payload = key.count + value.count
        let (start, flags) = beginRecord(flags)
        let padding = alignedUp(payload) - payload
        var crc = CRC32C.checksum(key)
        crc = value.withUnsafeBytes { CRC32C.checksum($0, continuing: crc) }
        let zeros: UInt64 = 0
        crc = withUnsafeBytes(of: zeros) { CRC32C.checksum($0.slice(0, padding), continuing: crc) }
        withUnsafeTemporaryAllocation(byteCount: FormatConstants.recordHeaderSize, alignment: 8) { header in
            Self.writeHeader(
                to: header.baseAddress!, kind, flags, key: key.count, value: value.count, expiry: expiry,
                checksum: crc)
            bytes.append(contentsOf: header)
        }
        bytes.append(contentsOf: key)
        externals.append(External(position: bytes.count, value: value))
        externalBytes += value.count
        for _ in 0..<padding { bytes.append(0) }
        endRecord(kind, at: start, accepted: accepted)
    }

    /// The previous record isn't the last one of its batch any more, and this one isn't the first.
    private mutating func beginRecord(_ flags: RecordHeader.Flags) -> (start: Int, RecordHeader.Flags) {
        guard recordCount > 0 else { return (bytes.count, flags) }
        bytes[lastHeader + 1] |= RecordHeader.Flags.batchContinues.rawValue
        return (bytes.count, flags.union(.continuesBatch))
    }

    private mutating func endRecord(_ kind: RecordKind, at start: Int, accepted: Int) {
        lastHeader = start
        recordCount += 1
        if kind != .delete { removesOnly = false }
        acceptedBytes += accepted
    }

    /// Writes a header without the sequence distance and what depends on the position.
    @inline(__always)
    static func writeHeader(
        to header: UnsafeMutableRawPointer, _ kind: RecordKind, _ flags: RecordHeader.Flags, key: Int, value: Int,
        expiry: UInt64, checksum: UInt32
    ) {
        header.store(kind.rawValue, littleEndianAt: 0)
        header.store(flags.rawValue, littleEndianAt: 1)
        header.store(UInt16(key), littleEndianAt: 2)
        header.store(UInt32(value), littleEndianAt: 4)
        header.store(0 as UInt64, littleEndianAt: 8)
        header.store(expiry, littleEndianAt: 16)
        header.store(checksum, littleEndianAt: RecordHeader.payloadChecksumOffset)
        header.store(0 as UInt32, littleEndianAt: RecordHeader.checksumOffset)
    }
}

/// Gives an encoded record its sequence number and its position.
package enum RecordPlacement {
    /// Encodes the header of a record that was read elsewhere and is copied to another position. It is a batch of its
    /// own there, unless `batch` says otherwise. Its payload is unchanged, and so is its checksum.
    package static func encode(
        _ header: RecordHeader, batch: RecordHeader.Flags = [], to memory: UnsafeMutableRawPointer,
        sequenceDistance: UInt64, tag: ChecksumTag
    ) {
        EncodedBatch.writeHeader(
            to: memory, header.kind, header.flags.subtracting([.batchContinues, .continuesBatch]).union(batch),
            key: Int(header.keyLength),
            value: Int(header.valueLength), expiry: header.expiry, checksum: header.payloadChecksum)
        place(memory, sequenceDistance: sequenceDistance, tag: tag)
    }

    /// The fields of a header that are needed to place its record.
    package struct Fields {
        package let kind: RecordKind
        package let keyLength: Int
        package let valueLength: Int
        package let expiry: UInt64
        @inlinable
        @inline(__always)
        package var encodedLength: Int { FormatConstants.recordHeaderSize + alignedUp(keyLength + valueLength) }
    }

    /// Reads a header that this process has just encoded. Not for bytes from a file.
    @inline(__always)
    package static func fields(of header: UnsafeRawPointer) -> Fields {
        let bytes = UnsafeRawBufferPointer(start: header, count: FormatConstants.recordHeaderSize)
        let kind: RecordKind =
            switch bytes[0] {
            case 1: .put
            case 2: .putExpiring
            case 3: .delete
            default: .optional(bytes[0])
            }
        return Fields(
            kind: kind,
            keyLength: Int(bytes.load(UInt16.self, littleEndianAt: 2)),
            valueLength: Int(bytes.load(UInt32.self, littleEndianAt: 4)),
            expiry: bytes.load(littleEndianAt: 16))
    }

    /// Writes the distance of the sequence number and binds both checksums to the record's offset.
    @inline(__always)
    package static func place(_ header: UnsafeMutableRawPointer, sequenceDistance: UInt64, tag: ChecksumTag) {
        let bytes = UnsafeRawBufferPointer(start: header, count: FormatConstants.recordHeaderSize)
        header.store(sequenceDistance, littleEndianAt: 8)
        let payload = bytes.load(UInt32.self, littleEndianAt: RecordHeader.payloadChecksumOffset)
        header.store(tag.apply(payload), littleEndianAt: RecordHeader.payloadChecksumOffset)
        let crc = CRC32C.checksum(bytes.slice(0, RecordHeader.checksumOffset))
        header.store(tag.apply(crc), littleEndianAt: RecordHeader.checksumOffset)
    }
}
