/// Which failures a write survives once the call has returned.
public struct Durability: Sendable, Hashable, CustomStringConvertible {
    @usableFromInline
    package enum Level: UInt8, Sendable { case buffered, written, synced }
    @usableFromInline
    package let level: Level

    @inlinable
    init(level: Level) { self.level = level }

    /// On the disk: survives power loss. Waits for one sync, which all concurrent writes share.
    @inlinable public static var synced: Durability { Durability(level: .synced) }
    /// In the kernel: survives the death of the process, but not of the machine.
    @inlinable public static var written: Durability { Durability(level: .written) }
    /// In memory: reaches the kernel within 10 ms and the disk within a second. A crash may lose the latest writes, but
    /// never an earlier one alone: what survives is a prefix of the accepted writes.
    @inlinable public static var buffered: Durability { Durability(level: .buffered) }

    /// The name of the level.
    public var description: String { "\(level)" }
}
