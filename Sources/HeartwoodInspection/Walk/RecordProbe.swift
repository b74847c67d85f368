internal import Heartwood
internal import HeartwoodFileSystem
package import HeartwoodFormat

/// A record that was found, whole or not.
package struct FoundRecord: Sendable {
    /// The offset of its header in the file.
    package var offset: UInt64
    package var header: RecordHeader
    package var sequence: UInt64
    /// Where its key lies in the keys of what it was found with; nil where it isn't known.
    package var keyStart: Int?
    /// Whether key, value and padding are what was written; the header always is.
    package var isIntact: Bool
    /// Whether it is known to be the first of its batch.
    package var beginsBatch: Bool

    package var end: UInt64 { offset + UInt64(header.encodedLength) }
    package var endsBatch: Bool { !header.flags.contains(.batchContinues) }
}

/// Looks at the place of one record: header, then key and value, in pieces if they are long.
struct RecordProbe {
    /// What stands at a place.
    enum Outcome: Sendable {
        /// Both checksums hold; the key was added.
        case intact(RecordHeader)
        /// The header's checksum holds, the payload's doesn't; the key was added as it stands.
        case damaged(RecordHeader, FormatError)
        /// No record.
        case none(FormatError)
    }

    private static let smallBytes = 4096
    private static let pieceBytes = 256 << 10

    /// - Parameter end: Where the record must have ended.
    static func look(
        at offset: UInt64, end: UInt64, of file: FileHeader, in window: inout FileWindow, adding keys: inout [UInt8]
    ) throws(FileSystemError) -> Outcome {
        guard end > offset, end - offset >= UInt64(FormatConstants.recordHeaderSize) else { return .none(.truncated) }
        let look = Int(min(end - offset, UInt64(smallBytes)))
        var crc: UInt32 = 0
        let headerSize = FormatConstants.recordHeaderSize
        let decoded = try window.withBytes(at: offset, count: look) { bytes in
            Result { () throws(FormatError) -> RecordHeader in
                // Somebody cut the file meanwhile.
                guard bytes.count == look else { throw .truncated }
                let header = try RecordHeader.decode(bytes, salt: file.salt, offset: offset, flags: file.recordFlags)
                guard UInt64(header.encodedLength) <= end - offset else { throw .invalidField(.bodyLength) }
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
        var done = min(look, header.encodedLength)
        var keyLeft = Int(header.keyLength) - min(Int(header.keyLength), done - headerSize)
        while done < header.encodedLength {
            let piece = min(pieceBytes, header.encodedLength - done)
            let read = try window.withBytes(at: offset + UInt64(done), count: piece) { bytes in
                crc = CRC32C.checksum(bytes, continuing: crc)
                let ofKey = min(keyLeft, bytes.count)
                keys.append(contentsOf: bytes.slice(0, ofKey))
                keyLeft -= ofKey
                return bytes.count
            }
            guard read == piece else { return .none(.truncated) }
            done += piece
        }
        return crc == header.payloadChecksum ? .intact(header) : .damaged(header, .checksumMismatch)
    }
}
