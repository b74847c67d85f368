internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Checks whether compressed values can be decompressed. A checksum only shows that they are what was written.
///
/// A gigabyte of forged values may inflate to a terabyte. So values of a file are inflated only up to a total of 16
/// times their stored size plus 256 MiB. For the others only the checksum is verified, and they are counted.
struct ValueCheck {
    private let inflater = PieceInflater()
    /// How many more bytes may be inflated.
    private var allowance: UInt64 = 256 << 20
    private static let inflation: UInt64 = 16
    private static let pieceBytes = 256 << 10
    /// Number of compressed values that were not checked.
    private(set) var skipped: UInt64 = 0

    /// What is wrong with the value of a record that verifies; nil if nothing is known to be wrong. O(bytes that the
    /// value inflates to).
    mutating func damage(
        of header: RecordHeader, at offset: UInt64, in window: inout FileWindow
    ) throws(FileSystemError) -> FormatError? {
        if case .optional = header.kind { return nil }
        guard header.flags.contains(.compressed) else { return nil }
        var at = offset + UInt64(FormatConstants.recordHeaderSize) + UInt64(header.keyLength)
        let end = at + UInt64(header.valueLength)
        let declared = try window.withBytes(at: at, count: Inflater.lengthBytes) { bytes in
            Result { () throws(FormatError) in
                UInt64(try Inflater.declaredLength(of: bytes, storedBytes: Int(header.valueLength)))
            }
        }
        guard case .success(let length) = declared else { return .invalidField(.compressedValue) }
        allowance += Self.inflation * UInt64(header.valueLength)
        guard length <= allowance else {
            skipped += 1
            return nil
        }
        allowance -= length
        inflater.begin(Int(header.valueLength))
        while at < end {
            let piece = Int(min(end - at, UInt64(Self.pieceBytes)))
            let read = try window.withBytes(at: at, count: piece) { bytes in
                inflater.add(bytes)
                return bytes.count
            }
            guard read == piece else { return .truncated }
            at += UInt64(piece)
        }
        return inflater.end()
    }
}
