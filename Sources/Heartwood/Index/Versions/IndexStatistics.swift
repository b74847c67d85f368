/// The size of an index at one moment.
package struct IndexStatistics: Sendable, Hashable {
    /// Keys whose newest version, pending ones included, is a value.
    package var keys = 0
    /// Versions of all keys, tombstones included.
    package var versions = 0
    package var tombstones = 0
    /// Bytes of memory for nodes, long keys and versions.
    package var bytes = 0
    /// Bytes of the newest values' records in the files. Computed from the locations, so up to a sixteenth too high for
    /// large records.
    package var liveBytes: UInt64 = 0
    /// How many of these are of versions with an expiry.
    package var expiringBytes: UInt64 = 0
    /// Read points that have at least one read pin.
    package var readPoints = 0
}
