/// The constants of the format.
///
/// `Documentation/FileFormat.md` describes the same layout for implementations in any language. Change both together.
public enum FormatConstants {
    /// The newest format version that this library reads: 1 has logs, 2 adds snapshots, and in 3 the records of a log
    /// say whether they begin a batch.
    public static let version: UInt16 = 3
    /// The first eight bytes of every file. They aren't text, and any line-ending conversion breaks them.
    public static let fileMagic: [UInt8] = [0x48, 0x57, 0x4F, 0x4F, 0x44, 0x0D, 0x0A, 0x1A]
    /// Bytes of the file header; commits start after it.
    public static let fileHeaderSize = 4096
    /// "HWCM", read as a little-endian number.
    public static let commitMagic: UInt32 = 0x4D43_5748
    /// Bytes of a commit header.
    public static let commitHeaderSize = 48
    /// Bytes of a record header.
    @inlinable
    public static var recordHeaderSize: Int { 32 }
    /// Commits and records start at multiples of this many bytes.
    @inlinable
    public static var alignment: Int { 8 }
    /// Sync marks start at multiples of this many bytes, so that writing one changes no page that contains earlier
    /// commits.
    @inlinable
    public static var markAlignment: UInt64 { 4096 }
    /// The longest key, in bytes. The shortest key has one byte.
    public static let maximumKeyBytes = 65_535
    /// The largest encoded batch, in bytes (2 GiB). It keeps one write(2) and every length of a commit below their
    /// limits.
    public static let maximumBatchBytes = 2_147_479_552
    /// The most bytes that the records of a snapshot may take (16 PiB): an opening can give addresses to no more.
    public static let maximumSnapshotBytes: UInt64 = 1 << 54
    /// A reader may skip records whose kind is this or higher if it doesn't know the kind.
    public static let firstOptionalKind: UInt8 = 128
    /// The sequence numbers that a file's first batch can have: half of the 64-bit numbers, so that adding to one from
    /// a file can't overflow. A store that crashes every second reaches the end in 68 years.
    public static let sequences: Range<UInt64> = 1..<(1 << 63)
    /// An opening that finds no closing mark continues numbering at the next multiple of this.
    public static let sequenceEpoch: UInt64 = 1 << 32
}

/// Rounds up to the alignment of commits and records.
@inlinable
@inline(__always)
public func alignedUp(_ count: Int) -> Int {
    (count &+ (FormatConstants.alignment &- 1)) & ~(FormatConstants.alignment &- 1)
}

/// Rounds up to the next boundary at which a sync mark may be written.
@inlinable
@inline(__always)
public func markBoundary(from offset: UInt64) -> UInt64 {
    (offset &+ (FormatConstants.markAlignment &- 1)) & ~(FormatConstants.markAlignment &- 1)
}
