/// What one write made of one key.
struct Version: Sendable, Hashable {
    /// The sequence number of the write.
    var sequence: UInt64
    /// Milliseconds since 1970 from which on the value counts as gone; 0 is never.
    var expiry: UInt64
    var place: Place
    /// The write removed the key.
    var isTombstone: Bool
}

/// A key with the version of it that a reader sees.
struct IndexEntry: Sendable, Hashable {
    var key: [UInt8]
    var version: Version
}
