package import HeartwoodFileSystem
package import HeartwoodFormat

/// A record that was found, complete or not.
package struct FoundRecord: Sendable {
    /// The offset of its header in the file.
    package var offset: UInt64
    package var header: RecordHeader
    package var sequence: UInt64
    /// Offset of its key in the keys that it was found with; nil if it isn't known.
    package var keyStart: Int?
    /// Whether key, value and padding are as they were written. The header always is.
    package var isIntact: Bool
    /// Whether it is known to be the first of its batch.
    package var beginsBatch: Bool

    package var end: UInt64 { offset + UInt64(header.encodedLength) }
    package var endsBatch: Bool { !header.flags.contains(.batchContinues) }
}

/// Checks whether a record is at an offset: header, then key and value, in pieces if they are long.
package struct RecordProbe {
    /// The result of the check.
    package enum Outcome: Sendable {
        /// Both checksums are right; the key was added.
        case intact(RecordHeader)
        /// The header's checksum is right, the payload's isn't. The key was added as it is in the file.
        case damaged(RecordHeader, FormatError)
        /// No record.
        case none(FormatError)
    }

    private static let smallBytes: UInt64 = 4096
    private static let shortBytes: UInt64 = 1024

    /// Checks a record with no limit on the bytes read except its length. For records that don't overlap.
    ///
    /// - Parameter end: The record must end here or before.
    package static func look(
        at offset: UInt64, end: UInt64, of file: FileHeader, in window: inout FileWindow, adding keys: inout [UInt8]
    ) throws(FileSystemError) -> Outcome {
        var allowance = UInt64.max
        return try look(at: offset, end: end, of: file, in: &window, adding: &keys, allowance: &allowance)
    }

    /// O(existing bytes of the record).
    ///
    /// - Parameters:
    ///   - distances: The possible distances of the record's number from the file's first.
    ///   - allowance: How many bytes may be read; it is reduced by those. If it doesn't suffice, only a short record is
    ///     accepted.
    static func look(
        at offset: UInt64, end: UInt64, of file: FileHeader, in window: inout FileWindow, adding keys: inout [UInt8],
        distances: Range<UInt64>? = nil, allowance: inout UInt64
    ) throws(FileSystemError) -> Outcome {
        guard end > offset, end - offset >= UInt64(FormatConstants.recordHeaderSize) else { return .none(.truncated) }
        let look = Int(min(end - offset, allowance < smallBytes ? shortBytes : smallBytes))
        var crc: UInt32 = 0
        let headerSize = FormatConstants.recordHeaderSize
        let decoded = try window.withBytes(at: offset, count: look) { bytes in
            Result { () throws(FormatError) -> RecordHeader in
                // Another process truncated the file.
                guard bytes.count == look else { throw .truncated }
                let header = try RecordHeader.decode(bytes, salt: file.salt, offset: offset, flags: file.recordFlags)
                guard UInt64(header.encodedLength) <= end - offset else { throw .invalidField(.bodyLength) }
                guard distances?.contains(header.sequenceDistance) ?? true else { throw .invalidField(.sequence) }
                let here = min(bytes.count, header.encodedLength) - headerSize
                crc = CRC32C.checksum(bytes.slice(headerSize, here))
                keys.append(contentsOf: bytes.slice(headerSize, min(here, Int(header.keyLength))))
                return header
            }
        }
        guard case .success(let header) = decoded else {
            if case .failure(let error) = decoded { return .none(error) }
            return .none(.truncated)
        }
        var done = offset + UInt64(min(look, header.encodedLength))
        allowance -= min(allowance, done - offset)
        // The rest of a long key, and of a long value.
        let keyLeft = Int(header.keyLength) - min(Int(header.keyLength), Int(done - offset) - headerSize)
        if keyLeft > 0 {
            guard UInt64(keyLeft) <= allowance else { return .none(.truncated) }
            allowance -= UInt64(keyLeft)
            let read = try window.withBytes(at: done, count: keyLeft) { bytes in
                crc = CRC32C.checksum(bytes, continuing: crc)
                keys.append(contentsOf: bytes)
                return bytes.count
            }
            guard read == keyLeft else { return .none(.truncated) }
            done += UInt64(keyLeft)
        }
        let rest = done..<offset + UInt64(header.encodedLength)
        guard let checksum = try window.checksum(of: rest, continuing: crc, allowance: &allowance) else {
            return .none(.truncated)
        }
        return checksum == header.payloadChecksum ? .intact(header) : .damaged(header, .checksumMismatch)
    }
}
