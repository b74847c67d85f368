/// The numbers that every reader and writer of the format must agree on.
///
/// `Documentation/FileFormat.md` describes the same layout for a reader in any language; the two change together.
public enum FormatConstants {
    /// The newest version that this library reads: 1 has logs, 2 has snapshots, too, and in 3 the records of a log say
    /// whether they begin a batch.
    public static let version: UInt16 = 3
    /// Eight bytes at the start of every file: not text, and broken by any line-ending conversion.
    public static let fileMagic: [UInt8] = [0x48, 0x57, 0x4F, 0x4F, 0x44, 0x0D, 0x0A, 0x1A]
    /// Bytes of the file header; commits start behind it.
    public static let fileHeaderSize = 4096
    /// "HWCM", as it is read by a little-endian load.
    public static let commitMagic: UInt32 = 0x4D43_5748
    /// Bytes of a commit header.
    public static let commitHeaderSize = 48
    /// Bytes of a record header.
    @inlinable
    public static var recordHeaderSize: Int { 32 }
    /// Commits and records start at multiples of this many bytes.
    @inlinable
    public static var alignment: Int { 8 }
    /// Marks start at multiples of this many bytes, so that writing one touches no page that holds earlier commits.
    @inlinable
    public static var markAlignment: UInt64 { 4096 }
    /// The longest key, in bytes. The shortest has one.
    public static let maximumKeyBytes = 65_535
    /// The largest encoded batch, in bytes (2 GiB): one write(2) and every length of a commit stay under it.
    public static let maximumBatchBytes = 2_147_479_552
    /// What the records of a snapshot may take, in bytes (16 PiB): within what an opening can number.
    public static let maximumSnapshotBytes: UInt64 = 1 << 54
    /// Record kinds from here on may be skipped by a reader that doesn't know them.
    public static let firstOptionalKind: UInt8 = 128
    /// The numbers that a file's first batch can have. Half of what fits into 64 bits, so that adding to one from a
    /// file never overflows; a store that crashes every second gets there in 68 years.
    public static let sequences: Range<UInt64> = 1..<(1 << 63)
    /// How far numbering jumps ahead after an opening that found no closing mark (to the next multiple).
    public static let sequenceEpoch: UInt64 = 1 << 32
}

/// Rounds up to the alignment of commits and records.
@inlinable
@inline(__always)
public func alignedUp(_ count: Int) -> Int {
    (count &+ (FormatConstants.alignment &- 1)) & ~(FormatConstants.alignment &- 1)
}

/// Rounds up to the boundary at which a mark may stand.
@inlinable
@inline(__always)
public func markBoundary(from offset: UInt64) -> UInt64 {
    (offset &+ (FormatConstants.markAlignment &- 1)) & ~(FormatConstants.markAlignment &- 1)
}
