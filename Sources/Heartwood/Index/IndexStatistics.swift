/// How much an index holds at one moment.
package struct IndexStatistics: Sendable, Hashable {
    /// Keys whose newest version, pending ones included, is a value.
    package var keys = 0
    /// Versions of all keys, tombstones included.
    package var versions = 0
    package var tombstones = 0
    /// Bytes of memory for nodes, long keys and versions.
    package var bytes = 0
    /// Bytes that the newest values take in the files, as far as their places tell: up to a sixteenth more for large ones.
    package var liveBytes: UInt64 = 0
    /// Points that are held, each counted once.
    package var heldPoints = 0
}

/// How often a tree has changed its shape since it was made.
package struct TreeChurn: Sendable, Hashable {
    package var splits = 0
    package var merges = 0
    package var madeNodes = 0
    package var freedNodes = 0
    /// Pages that have ever been used: what is made beyond them was made of pages that had been freed.
    package var pages = 0
}
