/// The records of one batch as bytes, complete except for what depends on their place: the caller's task makes it in
/// parallel with others, and whoever gives it a place and a number fills in the rest with `RecordPlacement`.
///
/// Large values are not copied: they stand beside the bytes as *externals*, each with the position at which it belongs.
package struct EncodedBatch: Sendable {
    /// A value that isn't among the bytes.
    package struct External: Sendable {
        /// Where in `bytes` the value belongs: behind its key, before its padding.
        package let position: Int
        /// The stored value.
        package let value: [UInt8]
    }

    /// Headers, keys, values that were copied, and padding.
    package private(set) var bytes: [UInt8] = []
    /// Values that were not copied, in the order of their positions.
    package private(set) var externals: [External] = []
    /// Number of records.
    package private(set) var recordCount = 0
    /// Bytes of keys and values as the caller gave them, before compression.
    package private(set) var acceptedBytes = 0
    /// Whether all of its records remove keys.
    package private(set) var removesOnly = true
    private var externalBytes = 0
    private var lastHeader = 0

    package init() {}

    /// Bytes that the batch takes in the log.
    package var encodedLength: Int { bytes.count + externalBytes }

    package mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

    /// Appends a record with its value copied. O(bytes).
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

    /// Appends a record whose value is kept beside the bytes.
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

    /// A record follows, so the last one is not the batch's last, and this one is not its first.
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

    /// Everything of a header but the sequence distance and what the place decides.
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

/// Gives an encoded record its number and its place.
package enum RecordPlacement {
    /// Encodes the header of a record that was read elsewhere and moves on to another place, where it is a batch of its
    /// own, unless `batch` says otherwise. Its payload stays as it is, under the same checksum: what was checked once
    /// isn't made anew.
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

    /// The fields of an unplaced header that whoever places it needs.
    package struct Fields {
        package let kind: RecordKind
        package let keyLength: Int
        package let valueLength: Int
        package let expiry: UInt64
        @inlinable
        @inline(__always)
        package var encodedLength: Int { FormatConstants.recordHeaderSize + alignedUp(keyLength + valueLength) }
    }

    /// Reads a header that this process encoded a moment ago; never bytes from a file.
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

    /// Fills in the distance of the sequence number and binds both checksums to the record's offset.
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
