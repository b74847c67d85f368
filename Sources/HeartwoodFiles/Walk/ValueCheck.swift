internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Looks whether values can be read back that are stored compressed: a checksum says only that they are what was written.
struct ValueCheck {
    private let inflater = InflateCheck()
    private static let pieceBytes = 256 << 10

    /// What is wrong with the value of a record that verifies; nil where nothing is. O(bytes of the value).
    func damage(
        of header: RecordHeader, at offset: UInt64, in window: inout FileWindow
    ) throws(FileSystemError) -> FormatError? {
        if case .optional = header.kind { return nil }
        guard header.flags.contains(.compressed) else { return nil }
        var at = offset + UInt64(FormatConstants.recordHeaderSize) + UInt64(header.keyLength)
        let end = at + UInt64(header.valueLength)
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
