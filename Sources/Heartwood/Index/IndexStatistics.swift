/// How much an index holds at one moment.
struct IndexStatistics: Sendable, Hashable {
    /// Keys whose newest version, pending ones included, is a value.
    var keys = 0
    /// Versions of all keys, tombstones included.
    var versions = 0
    var tombstones = 0
    /// Bytes of memory for nodes, long keys and versions.
    var bytes = 0
    /// Bytes that the newest values take in the files, as far as their places tell: up to a sixteenth more for large ones.
    var liveBytes: UInt64 = 0
    /// Points that are held, each counted once.
    var heldPoints = 0
}
