/// Whether and how values are compressed, one by one, so that each can be read alone.
public struct Compression: Sendable, Hashable {
    /// The zlib level, 1 (fastest) to 9 (smallest); 0 where compression is off.
    public let level: Int
    /// Values of fewer bytes are stored as they are.
    public let threshold: Int

    /// Values are stored as they are. Values that were compressed earlier are read all the same.
    public static let off = Compression(level: 0, threshold: 0)

    /// Raw deflate by zlib, for values from `threshold` bytes on, kept only where it saves an eighth.
    ///
    /// Costs 13 to 16 µs for a small value, in the task that writes; level 1 is nearly as small as 6 for such values.
    ///
    /// - Parameters:
    ///   - level: 1 to 9; values outside are clamped.
    ///   - threshold: In bytes; at least 32, under which nothing can be saved.
    public static func zlib(level: Int = 1, threshold: Int = 512) -> Compression {
        Compression(level: min(max(level, 1), 9), threshold: max(threshold, 32))
    }

    /// Whether values are compressed at all.
    public var isEnabled: Bool { level > 0 }
}
