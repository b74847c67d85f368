/// A key, its value, and what the store knows about them.
public struct Entry: Sendable, Hashable {
    /// The key.
    public var key: [UInt8]
    /// The value, decompressed.
    public var value: [UInt8]
    /// The sequence number of the write that set the value. Conditions compare with it.
    public var sequence: SequenceNumber
    /// When the entry expires; nil if never.
    public var expires: Timestamp?

    /// Creates an entry.
    public init(key: [UInt8], value: [UInt8], sequence: SequenceNumber, expires: Timestamp? = nil) {
        self.key = key
        self.value = value
        self.sequence = sequence
        self.expires = expires
    }
}
