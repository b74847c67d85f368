/// Which writes a change feed delivers, and a `ReadOnlyStore` shows.
///
/// ```swift
/// let kept = store.changes(after: stored, level: .durable)     // may be continued from a stored position
/// let live = store.changes(level: .visible)                    // earlier, and only for this process
/// ```
public struct ChangeLevel: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String { case durable, visible }
    package let kind: Kind

    /// Writes that are on the disk, so that no power loss can take them back. For everything that is kept: replicas,
    /// archives, search indexes.
    public static let durable = ChangeLevel(kind: .durable)

    /// Writes that readers in this process see, also `.buffered` ones. For caches and live screens. A power loss may
    /// take back the newest of them, so don't store their positions.
    ///
    /// In a `ReadOnlyStore`: everything that the writing process has written to the files.
    public static let visible = ChangeLevel(kind: .visible)

    /// "durable" or "visible".
    public var description: String { kind.rawValue }
}
