/// What a write has survived by the time it returns.
public struct Durability: Sendable, Hashable, CustomStringConvertible {
    enum Level: UInt8, Sendable { case buffered, written, synced }
    let level: Level

    /// On the disk: survives power loss. Waits for one sync, which it shares with every write of the same moment.
    public static let synced = Durability(level: .synced)
    /// In the kernel: survives the death of the process, not of the machine.
    public static let written = Durability(level: .written)
    /// In memory: reaches the kernel within 10 ms and the disk within a second. A crash may take the last moments, but
    /// never a write in the middle: what survives is a prefix of what was accepted.
    public static let buffered = Durability(level: .buffered)

    /// The name of the level.
    public var description: String { "\(level)" }
}
