internal import Foundation

/// A position after a result of a query, to read on later, also in another process.
///
/// ```swift
/// let text = cursor.description                            // letters, digits, "-" and "_": safe in URLs
/// guard let cursor = QueryCursor(text) else { return .badRequest }
/// ```
///
/// It holds the values by which the result was sorted, and its id. So pages are stable while others write: a result
/// before the position isn't returned again and one after it isn't left out, whatever was inserted or deleted. A record
/// whose sorted values change may move over the position.
///
/// It is valid for queries with the same filter and the same sorts; limit and offset may differ. Another query refuses
/// it. It isn't secret and isn't signed: a client can read the values, and can make a cursor of its own.
public struct QueryCursor: Sendable, Hashable {
    private static let version: UInt8 = 1
    private static let headerCount = 9

    /// Version, fingerprint, elements.
    private let bytes: [UInt8]

    /// - Parameter parts: The encoded values of the sorts, then the encoded id.
    init<Model>(_ query: Query<Model>, _ parts: [[UInt8]]) throws(StoreError) {
        let fingerprint = withUnsafeBytes(of: try QueryFingerprint.of(query).littleEndian) { Array($0) }
        bytes = [Self.version] + fingerprint + parts.joined()
    }

    /// The encoded values of the sorts, then the encoded id.
    ///
    /// - Throws: `.invalidArgument` if it is of another query.
    func parts<Model>(for query: Query<Model>) throws(StoreError) -> [[UInt8]] {
        let fingerprint = withUnsafeBytes(of: try QueryFingerprint.of(query).littleEndian) { Array($0) }
        let parts = Self.elements(bytes.dropFirst(Self.headerCount))
        guard bytes.dropFirst().prefix(8).elementsEqual(fingerprint), let parts, parts.count == query.sort.count + 1
        else {
            throw StoreError(
                .invalidArgument,
                "the cursor is one of another query: use it with the same filter and sorts, or start without a cursor")
        }
        return parts
    }

    private static func elements(_ bytes: ArraySlice<UInt8>) -> [[UInt8]]? {
        var decoder = TupleDecoder(bytes)
        var elements: [[UInt8]] = []
        while !decoder.isAtEnd {
            guard let element = try? decoder.skip() else { return nil }
            elements.append(Array(element))
        }
        return elements
    }
}

extension QueryCursor: LosslessStringConvertible {
    /// The cursor as text: letters, digits, "-" and "_".
    public var description: String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Reads the text of a cursor; nil if it isn't one.
    ///
    /// - Complexity: O(length).
    public init?(_ description: String) {
        guard description.utf8.allSatisfy({ Self.isAllowed($0) }) else { return nil }
        let padding = String(repeating: "=", count: (4 - description.utf8.count % 4) % 4)
        let text = description.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: text), data.count > Self.headerCount, data.first == Self.version,
            let elements = Self.elements(Array(data.dropFirst(Self.headerCount))[...]), !elements.isEmpty
        else { return nil }
        bytes = Array(data)
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension QueryCursor: Codable {
    /// Decodes the text of a cursor.
    ///
    /// - Throws: `DecodingError` if it isn't one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = QueryCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text isn't that of a cursor")
        }
        self = cursor
    }

    /// Encodes the text of the cursor.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
