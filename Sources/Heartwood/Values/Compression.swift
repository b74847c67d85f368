/// Whether and how values are compressed. Each value is compressed alone, so it can be read alone.
public struct Compression: Sendable, Hashable {
    /// The zlib level, 1 (fastest) to 9 (smallest); 0 if compression is off.
    public let level: Int
    /// In bytes. Shorter values are stored uncompressed.
    public let threshold: Int

    /// Values are stored uncompressed. Values that were compressed earlier can still be read.
    public static let off = Compression(level: 0, threshold: 0)

    /// Compresses values of at least `threshold` bytes with zlib (raw deflate). The result is used only if it is at
    /// least an eighth smaller.
    ///
    /// Costs 13 to 16 µs for a small value, in the task that writes. For such values, level 1 is nearly as small as
    /// level 6.
    ///
    /// - Parameters:
    ///   - level: 1 to 9; other values are clamped.
    ///   - threshold: In bytes; at least 32, because shorter values can't become smaller.
    public static func zlib(level: Int = 1, threshold: Int = 512) -> Compression {
        Compression(level: min(max(level, 1), 9), threshold: max(threshold, 32))
    }

    /// Whether values are compressed.
    public var isEnabled: Bool { level > 0 }
}
