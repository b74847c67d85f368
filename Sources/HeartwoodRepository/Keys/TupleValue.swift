public import Foundation

/// One element of any type, for programs that don't know the types of a key, such as the command-line tool.
///
/// ```swift
/// var decoder = TupleDecoder(bytes)
/// while !decoder.isAtEnd { print(try decoder.decode(TupleValue.self)) }
/// ```
public enum TupleValue: Sendable, Hashable {
    /// Nil.
    case null
    /// A truth value.
    case bool(Bool)
    /// An integer, up to `Int64.max`.
    case int(Int64)
    /// An integer above `Int64.max`. A smaller one is decoded as ``int(_:)``.
    case uint(UInt64)
    /// A number with 32 bits.
    case float(Float)
    /// A number with 64 bits; also a date.
    case double(Double)
    /// A text.
    case string(String)
    /// Bytes.
    case bytes([UInt8])
    /// An identifier.
    case uuid(UUID)
    /// A nested tuple.
    case tuple([TupleValue])
}

extension TupleValue: TupleElement {
    /// Appends the element. O(bytes).
    public func encode(to encoder: inout TupleEncoder) {
        switch self {
        case .null: encoder.appendNil()
        case .bool(let value): value.encode(to: &encoder)
        case .int(let value): encoder.append(value)
        case .uint(let value): encoder.append(value)
        case .float(let value): value.encode(to: &encoder)
        case .double(let value): value.encode(to: &encoder)
        case .string(let value): value.encode(to: &encoder)
        case .bytes(let value): value.encode(to: &encoder)
        case .uuid(let value): value.encode(to: &encoder)
        case .tuple(let values): encoder.appendNested { tuple in for value in values { value.encode(to: &tuple) } }
        }
    }

    /// Reads an element of any type. O(bytes).
    ///
    /// - Throws: `StoreError` with the code `corruption` if no element follows, if its type is unknown or its content
    ///   isn't valid, or if it is a tuple in 128 others.
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        if decoder.decodeNil() {
            self = .null
            return
        }
        switch try decoder.code() {
        case TupleCode.bytes: self = .bytes(try [UInt8](from: &decoder))
        case TupleCode.string: self = .string(try String(from: &decoder))
        case TupleCode.float: self = .float(try Float(from: &decoder))
        case TupleCode.double: self = .double(try Double(from: &decoder))
        case TupleCode.false, TupleCode.true: self = .bool(try Bool(from: &decoder))
        case TupleCode.uuid: self = .uuid(try UUID(from: &decoder))
        case TupleCode.nested:
            self = .tuple(
                try decoder.decodeNested { tuple throws(StoreError) in
                    var values: [TupleValue] = []
                    while !tuple.isAtEnd { values.append(try TupleValue(from: &tuple)) }
                    return values
                })
        default:
            let (isNegative, bits, end) = try decoder.integer()
            self = isNegative || bits <= UInt64(Int64.max) ? .int(Int64(truncatingIfNeeded: bits)) : .uint(bits)
            decoder.position = end
        }
    }
}

extension TupleValue: CustomStringConvertible {
    /// The element as readable text: `null`, `true`, `42`, `0.5`, `"text"`, `0x00FF` for bytes, the text of an
    /// identifier, `(1, "a")` for a tuple. O(bytes).
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .bytes(let value): "0x" + EncodedElement.hexadecimal(value)
        case .uuid(let value): value.uuidString
        case .tuple(let values): "(" + values.map(\.description).joined(separator: ", ") + ")"
        }
    }
}

extension TupleValue {
    /// The elements of encoded bytes, for messages. Bytes that aren't elements are shown as bytes.
    package static func all(in bytes: [UInt8]) -> [TupleValue] {
        var decoder = TupleDecoder(bytes)
        var values: [TupleValue] = []
        while !decoder.isAtEnd {
            guard let value = try? TupleValue(from: &decoder) else { return [.bytes(bytes)] }
            values.append(value)
        }
        return values
    }

    /// The only element of encoded bytes, for messages.
    package static func one(in bytes: [UInt8]) -> TupleValue {
        let values = all(in: bytes)
        return values.count == 1 ? values[0] : .bytes(bytes)
    }
}
