/// The result of one write for one key.
package struct Version: Sendable, Hashable {
    package var location: RecordLocation
    /// Milliseconds since 1970 from which on the value is expired; 0 for never.
    package var expiry: UInt64
    /// Whether the write removed the key.
    package var isTombstone: Bool

    @inline(__always)
    package init(location: RecordLocation, expiry: UInt64 = 0, isTombstone: Bool = false) {
        self.location = location
        self.expiry = expiry
        self.isTombstone = isTombstone
    }

    @inline(__always)
    package var address: UInt64 { location.address }

    /// Whether the location alone describes it.
    @inline(__always)
    var isPlain: Bool { expiry == 0 && !isTombstone }

    /// When the value expires; nil for never.
    @inline(__always)
    var expires: Timestamp? { expiry == 0 ? nil : Timestamp(milliseconds: expiry) }

    /// Whether the value has not expired at this time.
    @inline(__always)
    func isAlive(at time: UInt64) -> Bool { expiry == 0 || time < expiry }
}

/// Sorted keys without duplicates, each with a version that all readers see: what an index can be filled with.
protocol SortedVersions {
    var count: Int { get }
    /// Whether any of them expires.
    var mayExpire: Bool { get }
    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R
    func version(_ index: Int) -> Version
}
