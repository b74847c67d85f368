/// The encoded records of one batch, complete except for what depends on their position. The caller's task encodes it
/// in parallel with others. Once its position and number are known, `RecordHeader.bind` fills in the rest.
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
                RecordHeader(kind, flags, key: key, value: value.count, expiry: expiry, checksum: crc)
                    .store(to: header)
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
            RecordHeader(kind, flags, key: key, value: value.count, expiry: expiry, checksum: crc)
                .store(to: header.baseAddress!)
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
        bytes[lastHeader + RecordLayout.flags] |= RecordHeader.Flags.batchContinues.rawValue
        return (bytes.count, flags.union(.continuesBatch))
    }

    private mutating func endRecord(_ kind: RecordKind, at start: Int, accepted: Int) {
        lastHeader = start
        recordCount += 1
        if kind != .delete { removesOnly = false }
        acceptedBytes += accepted
    }
}

extension RecordHeader {
    /// The header of a record without a number yet.
    @inline(__always)
    init(
        _ kind: RecordKind, _ flags: Flags = [], key: UnsafeRawBufferPointer, value: Int, expiry: UInt64,
        checksum: UInt32
    ) {
        self.init(
            kind: kind, flags: flags, keyLength: UInt16(key.count), valueLength: UInt32(value), sequenceDistance: 0,
            expiry: expiry, payloadChecksum: checksum)
    }
}
