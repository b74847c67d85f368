/// Which log is kept though a snapshot covers it, for those who follow or copy it. Nothing reads it at an opening.
///
/// A store whose log is kept says so by a file, `KEEP-LOG`, which lies in its directory from the first write of an opening
/// that keeps some until that of one that keeps none. Programs that must not decide it leave it ``unchanged``.
public struct LogRetention: Sendable, Hashable {
    /// How many bytes of the newest covered segments are kept; nil: as the store says.
    private var limit: UInt64?

    /// None: the default.
    public static let none = LogRetention(limit: 0)
    /// All of it, for good.
    public static let everything = LogRetention(limit: .max)
    /// As the store says: everything where the last opening that chose has kept some of the log, otherwise none.
    public static let unchanged = LogRetention(limit: nil)
    /// The newest segments, as many as fit into so many bytes.
    public static func bytes(_ count: UInt64) -> LogRetention { LogRetention(limit: count) }

    /// How many bytes of the newest covered segments are kept. Of use once it is resolved.
    var bytes: UInt64 { limit! }

    /// Takes from a store what is unchanged.
    mutating func resolve(keepsLog: Bool) {
        if limit == nil { self = keepsLog ? .everything : .none }
    }
}
