/// Several elements as one: an id or an index of several parts.
///
/// ```swift
/// struct Message: Codable {
///     var id: KeyTuple<String, Int>        // the room, and the number in it
/// }
/// let id = KeyTuple("general", 42)
/// print(id.elements.0)
/// ```
///
/// It is encoded as a nested tuple, so tuples sort by their first element, then by their second, and so on.
public struct KeyTuple<each Element: TupleElement>: TupleElement {
    /// The elements.
    public var elements: (repeat each Element)

    /// Creates a tuple of these elements. O(1).
    public init(_ elements: repeat each Element) { self.elements = (repeat each elements) }

    /// Appends a nested tuple. O(bytes).
    public func encode(to encoder: inout TupleEncoder) {
        encoder.appendNested { tuple in
            repeat (each elements).encode(to: &tuple)
        }
    }

    /// Reads a nested tuple. O(bytes).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none with exactly these elements.
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        elements = try decoder.decodeNested { tuple throws(StoreError) in
            (repeat try (each Element)(from: &tuple))
        }
    }
}

extension KeyTuple: Equatable where repeat each Element: Equatable {
    /// Whether all elements are equal.
    public static func == (left: KeyTuple, right: KeyTuple) -> Bool {
        for (left, right) in repeat (each left.elements, each right.elements) {
            guard left == right else { return false }
        }
        return true
    }
}

extension KeyTuple: Hashable where repeat each Element: Hashable {
    /// Feeds all elements to the hasher.
    public func hash(into hasher: inout Hasher) {
        repeat (each elements).hash(into: &hasher)
    }
}

extension KeyTuple: Encodable where repeat each Element: Encodable {
    /// Encodes an array of the elements.
    ///
    /// - Throws: What an element or the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        repeat try container.encode(each elements)
    }
}

extension KeyTuple: Decodable where repeat each Element: Decodable {
    /// Decodes an array of the elements.
    ///
    /// - Throws: `DecodingError` if there are more or fewer elements, or what an element throws.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        // Swift 6.3.1 crashes if the property is assigned directly.
        self.init(repeat try container.decode((each Element).self))
        guard container.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "more elements than the tuple has")
        }
    }
}

extension KeyTuple: CustomStringConvertible {
    /// The elements as readable text: `(1, "a")`.
    public var description: String {
        var parts: [String] = []
        for element in repeat each elements { parts.append(String(reflecting: element)) }
        return "(" + parts.joined(separator: ", ") + ")"
    }
}
