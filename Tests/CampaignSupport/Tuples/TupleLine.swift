internal import Foundation
internal import HeartwoodRepository

/// The elements of a line that ``TupleComparison`` reads.
struct TupleLine {
    private let tokens: [Substring]
    private var position = 0
    /// The tokens of the elements that were read, as they are after decoding.
    private(set) var decodedTokens: [String] = []

    init(tokens: [Substring]) { self.tokens = tokens }

    /// Reads all elements, up to the end of the line or of a nested tuple.
    mutating func values() throws -> [TupleValue] {
        var values: [TupleValue] = []
        while position < tokens.count, tokens[position] != ")" {
            let token = tokens[position]
            position += 1
            if token == "(" {
                decodedTokens.append("(")
                values.append(.tuple(try self.values()))
                guard position < tokens.count else { throw Violation("a tuple without end") }
                decodedTokens.append(")")
                position += 1
                continue
            }
            let forms = token.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            guard let form = forms.first, let value = Self.value(token.prefix(1), form) else {
                throw Violation("not an element: \(token)")
            }
            values.append(value)
            decodedTokens.append(String(token.prefix(1) + (forms.last ?? "")))
        }
        return values
    }

    private static func value(_ type: Substring, _ text: Substring) -> TupleValue? {
        switch type {
        case "n": .null
        case "t": .bool(true)
        case "f": .bool(false)
        case "i": Int64(text).map(TupleValue.int) ?? UInt64(text).map(TupleValue.uint)
        case "d": UInt64(text, radix: 16).map { .double(Double(bitPattern: $0)) }
        case "g": UInt32(text, radix: 16).map { .float(Float(bitPattern: $0)) }
        case "s": bytes(text).flatMap { String(validating: $0, as: UTF8.self) }.map(TupleValue.string)
        case "b": bytes(text).map(TupleValue.bytes)
        case "u":
            bytes(text).flatMap { bytes in
                guard bytes.count == 16 else { return nil }
                return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
            }
        default: nil
        }
    }

    /// The tokens of an element.
    static func tokens(_ value: TupleValue) -> [String] {
        switch value {
        case .null: ["n"]
        case .bool(let value): [value ? "t" : "f"]
        case .int(let value): ["i\(value)"]
        case .uint(let value): ["i\(value)"]
        case .double(let value): ["d" + hexadecimal(withUnsafeBytes(of: value.bitPattern.bigEndian, Array.init))]
        case .float(let value): ["g" + hexadecimal(withUnsafeBytes(of: value.bitPattern.bigEndian, Array.init))]
        case .string(let value): ["s" + hexadecimal(Array(value.utf8))]
        case .bytes(let value): ["b" + hexadecimal(value)]
        case .uuid(let value): ["u" + hexadecimal(withUnsafeBytes(of: value.uuid, Array.init))]
        case .tuple(let values): ["("] + values.flatMap(tokens) + [")"]
        }
    }

    /// The bytes of lowercase hexadecimal digits; nil for another text.
    static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0, text.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else {
            return nil
        }
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }

    /// Two lowercase digits for each byte.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
