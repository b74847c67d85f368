/// How much an index holds at one moment.
struct IndexStatistics: Sendable, Hashable {
    /// Keys whose newest version, pending ones included, is a value.
    var keys = 0
    /// Versions of all keys, tombstones included.
    var versions = 0
    var tombstones = 0
    /// Bytes asked of the allocator for tree nodes, keys and versions.
    var bytes = 0
    /// Bytes that the newest values take in the files: what a compaction would keep.
    var liveBytes: UInt64 = 0
    /// Sequences that are held, each counted once.
    var heldSequences = 0
}
