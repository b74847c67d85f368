/// The key section of a snapshot: blocks of keys in order, with the information to find their records.
///
/// A block is a header and its entries, prefix-compressed, padded with zeros to a multiple of 8.
///
/// | offset | bytes | field of the header |
/// | ---: | ---: | --- |
/// | 0 | 4 | magic `48 57 4B 42` ("HWKB") |
/// | 4 | 4 | number of entries |
/// | 8 | 8 | offset of the first entry's record |
/// | 16 | 4 | length of the entries, padding included |
/// | 20 | 4 | zero |
/// | 24 | 4 | CRC-32C of the entries and the padding, tagged with the block's offset |
/// | 28 | 4 | CRC-32C of bytes 0 to 27, tagged with the block's offset |
///
/// An entry starts with three variable-length numbers (seven bits a byte, lowest first, bit 7: more follow): how many
/// bytes the key shares with the previous key in the block (as many as possible), how many bytes follow, and twice the
/// length of its record divided by 8, plus 1 if it expires. Then come the expiry, 8 bytes, if there is one, and the
/// rest of the key. Records are adjacent, in the order of their keys, so their lengths give their offsets.
///
/// The prefixes are shared as in LevelDB's blocks, with one restart per block.
package enum KeyBlock {
    package static let headerSize = 32
    static let magic: UInt32 = 0x424B_5748
    /// A block is complete once its entries have this many bytes.
    package static let wantedBytes = 64 << 10
    /// The most bytes that a block's entries may take: one key more than `wantedBytes`.
    package static let maximumBytes = wantedBytes + FormatConstants.maximumKeyBytes + 32

    /// The fields of a block's header.
    package struct Header: Sendable, Hashable {
        package var entryCount: Int
        package var firstRecordOffset: UInt64
        /// Bytes of the entries, padding included.
        package var length: Int
        /// The plain CRC-32C of the entries (without the tag).
        package var checksum: UInt32
    }

    /// Whether a block header may begin with these eight bytes, the first of which is the lowest.
    @inline(__always)
    package static func mayBegin(_ word: UInt64) -> Bool { UInt32(truncatingIfNeeded: word) == magic }

    /// Decodes a header. Total: any bytes give a header or an error.
    package static func decodeHeader(
        _ bytes: UnsafeRawBufferPointer, salt: UInt32, offset: UInt64
    ) throws(FormatError) -> Header {
        guard bytes.count >= headerSize else { throw .truncated }
        guard bytes.load(UInt32.self, littleEndianAt: 0) == magic else { throw .wrongMagic }
        let tag = ChecksumTag(salt: salt, offset: offset)
        guard bytes.load(UInt32.self, littleEndianAt: 28) == tag.apply(CRC32C.checksum(bytes.slice(0, 28))) else {
            throw .checksumMismatch
        }
        let header = Header(
            entryCount: Int(bytes.load(UInt32.self, littleEndianAt: 4)),
            firstRecordOffset: bytes.load(littleEndianAt: 8),
            length: Int(bytes.load(UInt32.self, littleEndianAt: 16)),
            checksum: tag.apply(bytes.load(littleEndianAt: 24)))
        guard bytes.load(UInt32.self, littleEndianAt: 20) == 0 else { throw .invalidField(.reserved) }
        // An entry takes at least four bytes.
        guard header.length % 8 == 0, header.length <= alignedUp(maximumBytes), header.entryCount > 0,
            header.entryCount <= header.length / 4
        else { throw .invalidField(.blockLength) }
        return header
    }
}

/// Encodes the blocks of a key section.
package struct KeyBlockEncoder {
    private var bytes: [UInt8] = []
    private var lastKey: [UInt8] = []
    private var entryCount = 0
    private var firstRecordOffset: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { entryCount == 0 }
    /// Whether the block has reached its intended size.
    package var isFull: Bool { bytes.count >= KeyBlock.headerSize + KeyBlock.wantedBytes }

    /// Adds a key, which must be greater than the previous one.
    ///
    /// - Parameters:
    ///   - offset: Offset of its record in the file.
    ///   - length: Length of its whole record.
    ///   - expiry: Milliseconds since 1970; 0: never.
    package mutating func add(_ key: UnsafeRawBufferPointer, offset: UInt64, length: Int, expiry: UInt64) {
        if entryCount == 0 {
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: repeatElement(0, count: KeyBlock.headerSize))
            firstRecordOffset = offset
            lastKey.removeAll(keepingCapacity: true)
        }
        let shared = lastKey.withUnsafeBytes { last in
            let limit = min(last.count, key.count)
            var common = 0
            while common < limit, last[common] == key[common] { common += 1 }
            return common
        }
        append(UInt64(shared))
        append(UInt64(key.count - shared))
        append(UInt64(length / 8) << 1 | (expiry == 0 ? 0 : 1))
        if expiry != 0 { withUnsafeBytes(of: expiry.littleEndian) { bytes.append(contentsOf: $0) } }
        bytes.append(contentsOf: key.slice(shared, key.count - shared))
        lastKey.removeLast(lastKey.count - shared)
        lastKey.append(contentsOf: key.slice(shared, key.count - shared))
        entryCount += 1
    }

    private mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Completes the block for `offset` of the file with `salt`, and calls `body` with its bytes.
    package mutating func finish<E: Error>(
        salt: UInt32, offset: UInt64, _ body: (UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        let length = alignedUp(bytes.count - KeyBlock.headerSize)
        bytes.append(contentsOf: repeatElement(0, count: KeyBlock.headerSize + length - bytes.count))
        let tag = ChecksumTag(salt: salt, offset: offset)
        bytes.withUnsafeMutableBytes { buffer in
            let base = buffer.baseAddress!
            base.store(KeyBlock.magic, littleEndianAt: 0)
            base.store(UInt32(entryCount), littleEndianAt: 4)
            base.store(firstRecordOffset, littleEndianAt: 8)
            base.store(UInt32(length), littleEndianAt: 16)
            base.store(0 as UInt32, littleEndianAt: 20)
            let all = UnsafeRawBufferPointer(buffer)
            base.store(tag.apply(CRC32C.checksum(all.slice(KeyBlock.headerSize, length))), littleEndianAt: 24)
            base.store(tag.apply(CRC32C.checksum(all.slice(0, 28))), littleEndianAt: 28)
        }
        entryCount = 0
        let result = bytes.withUnsafeBytes { buffer in Result { () throws(E) in try body(buffer) } }
        try result.get()
    }
}
