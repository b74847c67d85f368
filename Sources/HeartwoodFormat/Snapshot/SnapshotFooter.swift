/// The last 64 bytes of a snapshot: the positions and sizes of its parts.
///
/// | offset | bytes | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | magic `48 57 53 46` ("HWSF") |
/// | 4 | 4 | flags: none defined |
/// | 8 | 8 | number of records |
/// | 16 | 8 | offset of the key section: where the records end |
/// | 24 | 8 | number of key blocks |
/// | 32 | 8 | bytes of all keys |
/// | 40 | 8 | number of records that expire |
/// | 48 | 12 | zero |
/// | 60 | 4 | CRC-32C of bytes 0 to 59, tagged with the footer's offset |
///
/// It is written last, before the file gets its name. So a `.snapshot` file without a sound footer is damaged.
package struct SnapshotFooter: Sendable, Hashable {
    /// Number of records, one for each key.
    package var recordCount: UInt64
    /// Where the records end and the key section begins.
    package var keySectionOffset: UInt64
    /// Number of blocks in the key section.
    package var blockCount: UInt64
    /// Bytes of all keys together.
    package var keyBytes: UInt64
    /// How many of the records expire.
    package var expiringCount: UInt64

    /// Creates a footer.
    package init(
        recordCount: UInt64, keySectionOffset: UInt64, blockCount: UInt64, keyBytes: UInt64, expiringCount: UInt64
    ) {
        self.recordCount = recordCount
        self.keySectionOffset = keySectionOffset
        self.blockCount = blockCount
        self.keyBytes = keyBytes
        self.expiringCount = expiringCount
    }

    /// Bytes of a footer.
    package static let encodedSize = 64

    /// About how many bytes a snapshot takes: its header, the records, and each key once more with three numbers and,
    /// for each 64 KiB, a block's header.
    package static func fileBytes(records: UInt64, keys: UInt64, keyBytes: UInt64) -> UInt64 {
        UInt64(FormatConstants.fileHeaderSize + encodedSize + KeyBlock.headerSize) + records + keyBytes + 4 * keys
    }

    private static let magic: UInt32 = 0x4653_5748
    private static let checksumOffset = 60

    /// The 64 bytes of the footer, for `offset` of the file with `salt`.
    package func encoded(salt: UInt32, offset: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.encodedSize)
        bytes.withUnsafeMutableBytes { buffer in
            let base = buffer.baseAddress!
            base.store(Self.magic, littleEndianAt: 0)
            base.store(recordCount, littleEndianAt: 8)
            base.store(keySectionOffset, littleEndianAt: 16)
            base.store(blockCount, littleEndianAt: 24)
            base.store(keyBytes, littleEndianAt: 32)
            base.store(expiringCount, littleEndianAt: 40)
            let crc = CRC32C.checksum(UnsafeRawBufferPointer(buffer).slice(0, Self.checksumOffset))
            base.store(
                ChecksumTag(salt: salt, offset: offset).apply(crc), littleEndianAt: Self.checksumOffset)
        }
        return bytes
    }

    /// Decodes the footer at `offset`, the last 64 bytes of the file with `salt`. Total: any bytes give a footer or an
    /// error.
    ///
    /// Its counts fit the file's size, so memory that is allocated by them is never more than the size of the file.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, salt: UInt32, offset: UInt64
    ) throws(FormatError) -> SnapshotFooter {
        guard bytes.count >= encodedSize else { throw .truncated }
        guard bytes.load(UInt32.self, littleEndianAt: 0) == magic else { throw .wrongMagic }
        let crc = CRC32C.checksum(bytes.slice(0, checksumOffset))
        guard
            bytes.load(UInt32.self, littleEndianAt: checksumOffset)
                == ChecksumTag(salt: salt, offset: offset).apply(crc)
        else { throw .checksumMismatch }
        let flags = bytes.load(UInt32.self, littleEndianAt: 4)
        guard flags == 0 else { throw .unsupported(.snapshotFlags(flags)) }
        guard bytes.slice(48, 12).isZero else { throw .invalidField(.reserved) }
        let footer = SnapshotFooter(
            recordCount: bytes.load(littleEndianAt: 8), keySectionOffset: bytes.load(littleEndianAt: 16),
            blockCount: bytes.load(littleEndianAt: 24), keyBytes: bytes.load(littleEndianAt: 32),
            expiringCount: bytes.load(littleEndianAt: 40))
        guard footer.isPossible(at: offset) else { throw .invalidField(.snapshotLength) }
        return footer
    }

    /// Whether a file whose footer is at this offset has space for these counts.
    private func isPossible(at offset: UInt64) -> Bool {
        let start = UInt64(FormatConstants.fileHeaderSize)
        guard offset % 8 == 0, keySectionOffset % 8 == 0, keySectionOffset >= start, keySectionOffset <= offset else {
            return false
        }
        let records = keySectionOffset - start
        let keys = offset - keySectionOffset
        // A record takes at least 40 bytes, an entry at least 4, and a block has a header and at least one entry.
        return keySectionOffset <= FormatConstants.maximumSnapshotBytes && recordCount <= records / 40
            && recordCount <= keys / 4 && keyBytes <= records && expiringCount <= recordCount
            && blockCount <= recordCount && blockCount <= keys / UInt64(KeyBlock.headerSize)
            && (blockCount == 0) == (recordCount == 0)
    }
}
