/// One record that isn't encoded yet, with its checksum. It replaces an `EncodedBatch` for a single-key write. The
/// caller owns its bytes.
package struct SingleRecord {
    package let kind: RecordKind
    package let key: UnsafeRawBufferPointer
    package let value: UnsafeRawBufferPointer
    package let expiry: UInt64
    let checksum: UInt32

    /// Computes the checksum. O(bytes).
    ///
    /// - Precondition: The lengths were checked against the limits of the format.
    @inline(__always)
    package init(
        _ kind: RecordKind, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, expiry: UInt64
    ) {
        self.kind = kind
        self.key = key
        self.value = value
        self.expiry = expiry
        var crc = CRC32C.checksum(value, continuing: CRC32C.checksum(key))
        let padding = alignedUp(key.count + value.count) - key.count - value.count
        let zeros: UInt64 = 0
        crc = withUnsafeBytes(of: zeros) { CRC32C.checksum($0.slice(0, padding), continuing: crc) }
        checksum = crc
    }

    /// Bytes of the encoded record.
    @inlinable
    @inline(__always)
    package var encodedLength: Int { FormatConstants.recordHeaderSize + alignedUp(key.count + value.count) }

    /// Encodes the record at its final position, with its number. O(bytes).
    ///
    /// - Parameter memory: `encodedLength` bytes.
    @inline(__always)
    package func encode(to memory: UnsafeMutableRawPointer, sequenceDistance: UInt64, tag: ChecksumTag) {
        RecordHeader(kind, key: key, value: value.count, expiry: expiry, checksum: checksum).store(to: memory)
        let body = memory + FormatConstants.recordHeaderSize
        if let source = key.baseAddress { body.copyMemory(from: source, byteCount: key.count) }
        if let source = value.baseAddress {
            (body + key.count).copyMemory(from: source, byteCount: value.count)
        }
        var padding = key.count + value.count
        while padding < alignedUp(key.count + value.count) {
            body.storeBytes(of: 0, toByteOffset: padding, as: UInt8.self)
            padding += 1
        }
        RecordHeader.bind(memory, sequenceDistance: sequenceDistance, tag: tag)
    }
}
