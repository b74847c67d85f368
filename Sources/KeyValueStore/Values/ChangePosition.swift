/// A position in the changes of one store: after the write with this sequence number, and before the next one.
///
/// Store its description, or encode it, and follow the changes from it later:
///
/// ```swift
/// let text = "\(change.position)"
/// let position = ChangePosition(text)
/// ```
public struct ChangePosition: Sendable, Hashable {
    /// The identity of the store. A repaired or restored store has another one.
    public var store: StoreID
    /// The sequence number of the last write before this position; 0 is before the first write.
    public var sequence: SequenceNumber

    /// The position after the write with this sequence number.
    public init(store: StoreID, sequence: SequenceNumber) {
        self.store = store
        self.sequence = sequence
    }

    /// Whether this position is before another one of the same store; nil for positions of two stores, which have no
    /// order. O(1).
    public func precedes(_ other: ChangePosition) -> Bool? {
        store == other.store ? sequence < other.sequence : nil
    }
}

extension ChangePosition: LosslessStringConvertible {
    /// The store's identity, a hyphen, and the sequence number: `00112233445566778899aabbccddeeff-42`.
    public var description: String { "\(store)-\(sequence)" }

    /// Parses a description. Nil if the text isn't one.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let store = StoreID(String(parts[0])), let sequence = SequenceNumber(parts[1]),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        self.init(store: store, sequence: sequence)
    }
}

extension ChangePosition: Codable {
    /// Decodes a description.
    ///
    /// - Throws: `DecodingError` if the text isn't a position.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let position = ChangePosition(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a position: 32 hexadecimal digits, a hyphen and a number")
        }
        self = position
    }

    /// Encodes the description.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
