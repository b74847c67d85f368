/// Which covered log segments are kept for programs that follow or copy the log. An opening doesn't read them.
///
/// A file named `KEEP-LOG` in the store's directory records that the log is kept. The first write of an opening that
/// keeps log creates it. The first write of an opening that keeps none removes it. Use ``unchanged`` in programs that
/// must not change this choice.
public struct LogRetention: Sendable, Hashable {
    /// How many bytes of the newest covered segments are kept; nil: as recorded in the store.
    private var limit: UInt64?

    /// Keeps no covered segments: the default.
    public static let none = LogRetention(limit: 0)
    /// Keeps all covered segments, without limit.
    public static let everything = LogRetention(limit: .max)
    /// Keeps the store's recorded choice: everything if the last opening that chose kept log, otherwise nothing.
    public static let unchanged = LogRetention(limit: nil)
    /// Keeps the newest covered segments that fit into this many bytes.
    public static func bytes(_ count: UInt64) -> LogRetention { LogRetention(limit: count) }

    /// How many bytes of the newest covered segments are kept. Call only after `resolve(keepsLog:)`.
    var bytes: UInt64 { limit! }

    /// Replaces ``unchanged`` by the store's recorded choice.
    mutating func resolve(keepsLog: Bool) {
        if limit == nil { self = keepsLog ? .everything : .none }
    }
}
