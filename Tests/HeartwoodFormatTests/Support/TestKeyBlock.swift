import HeartwoodFormat

/// A key of a key section, with its record.
struct TestEntry: Hashable {
    var key: [UInt8]
    var length: Int
    var expiry: UInt64 = 0
}

/// Key blocks that are encoded by hand: their checksums are right, and their errors are deliberate.
enum TestKeyBlock {
    static let headerSize = 32

    /// The entry of a block, as bytes.
    static func entry(
        shared: UInt64, _ rest: [UInt8], length: UInt64, expiry: UInt64? = nil, restLength: UInt64? = nil
    ) -> [UInt8] {
        var bytes = number(shared) + number(restLength ?? UInt64(rest.count))
        bytes += number((length / 8) << 1 | (expiry == nil ? 0 : 1))
        if let expiry { bytes.append(number: expiry) }
        return bytes + rest
    }

    /// A variable-length number of at least `count` bytes.
    static func number(_ number: UInt64, bytes count: Int = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        repeat {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        } while rest > 0 || bytes.count < count
        bytes[bytes.count - 1] &= 0x7F
        return bytes
    }

    /// A block: header and entries, padded with zeros to a multiple of 8.
    static func block(
        _ entries: [UInt8], count: UInt32, firstRecord: UInt64 = 4096, length: UInt32? = nil, reserved: UInt32 = 0,
        salt: UInt32, at offset: UInt64
    ) -> [UInt8] {
        let payload = entries + [UInt8](repeating: 0, count: (8 - entries.count % 8) % 8)
        let tag = salt ^ UInt32(truncatingIfNeeded: offset / 8)
        var bytes: [UInt8] = [0x48, 0x57, 0x4B, 0x42]
        bytes.append(number: count)
        bytes.append(number: firstRecord)
        bytes.append(number: length ?? UInt32(payload.count))
        bytes.append(number: reserved)
        bytes.append(number: CRC32C.checksum(payload) ^ tag)
        bytes.append(number: CRC32C.checksum(bytes) ^ tag)
        return bytes + payload
    }

    /// Reads a block into a batch, header first, as readers of a file do.
    static func decode(
        _ bytes: [UInt8], into batch: KeyBatch, salt: UInt32, at offset: UInt64, limit: UInt64 = 1 << 40
    ) throws(FormatError) {
        try bytes.decoding { (buffer) throws(FormatError) in
            let header = try KeyBlock.decodeHeader(buffer, salt: salt, offset: offset)
            let end = min(buffer.count, headerSize + header.length)
            let payload = UnsafeRawBufferPointer(rebasing: buffer[headerSize..<end])
            var cursor: KeyBatch.Cursor?
            repeat { cursor = try batch.decode(payload, header, limit: limit, from: cursor) } while cursor != nil
        }
    }

    /// The entries that the decoder finds, or its error.
    static func result(
        _ bytes: [UInt8], salt: UInt32, at offset: UInt64, limit: UInt64 = 1 << 40
    ) -> Result<[TestEntry], FormatError> {
        Result { () throws(FormatError) in
            let batch = KeyBatch()
            try decode(bytes, into: batch, salt: salt, at: offset, limit: limit)
            return entries(of: batch)
        }
    }

    static func entries(of batch: KeyBatch) -> [TestEntry] {
        (0..<batch.count).map { index in
            let entry = batch.entry(index)
            return TestEntry(key: [UInt8](batch.key(index)), length: entry.length, expiry: entry.expiry)
        }
    }
}
