/// A key with all that the store knows of it.
public struct Entry: Sendable, Hashable {
    /// The key.
    public var key: [UInt8]
    /// The value, decompressed.
    public var value: [UInt8]
    /// The number of the write that set it: what a condition compares with.
    public var sequence: SequenceNumber
    /// When it ceases to exist; nil: never.
    public var expires: Timestamp?

    /// An entry of these parts.
    public init(key: [UInt8], value: [UInt8], sequence: SequenceNumber, expires: Timestamp? = nil) {
        self.key = key
        self.value = value
        self.sequence = sequence
        self.expires = expires
    }
}
