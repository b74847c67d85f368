internal import Foundation
internal import HeartwoodRepository

/// The encoded model of a record.
enum Payload {
    /// JSON text, as it is stored, or made from a property list.
    case json([UInt8])
    /// What isn't JSON.
    case bytes([UInt8])

    init(_ bytes: ArraySlice<UInt8>, of coder: String) {
        let bytes = Array(bytes)
        switch coder {
        case "json" where JSONLine.of(bytes) != nil: self = .json(bytes)
        case "plist":
            let decoded = try? PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes))
            self = decoded.map { .json($0.json) } ?? .bytes(bytes)
        default: self = .bytes(bytes)
        }
    }

    static func isKnown(_ coder: String) -> Bool { coder == "json" || coder == "plist" }

    /// JSON as it is stored; otherwise base64.
    var text: [UInt8] {
        switch self {
        case .json(let text): text
        case .bytes(let bytes): Array(Base64.encode(bytes).utf8)
        }
    }

    /// A part of a line: JSON without line ends; otherwise base64.
    var line: [UInt8] {
        switch self {
        case .json(let text): JSONLine.of(text) ?? text
        case .bytes(let bytes): Array(Base64.encode(bytes).utf8)
        }
    }

    /// Adds a member, under the name with the suffix "64" if it isn't JSON.
    func add(_ name: String, to json: inout JSONText) {
        switch self {
        case .json: json.add(json: name, line)
        case .bytes(let bytes): json.add(name + "64", Base64.encode(bytes))
        }
    }
}

/// JSON as a part of a line.
enum JSONLine {
    /// Whether bytes are an object or an array that can stand in a line as they are: in it `load` finds their first and
    /// their last byte, and a terminal shows them.
    static func isVerbatim(_ bytes: ArraySlice<UInt8>) -> Bool {
        switch (bytes.first, bytes.last) {
        case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")): break
        default: return false
        }
        let bytes = Array(bytes)
        return of(bytes) == bytes
    }

    /// JSON text without line ends, and with escapes for what a terminal wouldn't show as it is; nil if it isn't JSON.
    static func of(_ bytes: [UInt8]) -> [UInt8]? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var cursor = JSONCursor(bytes)
        guard (try? cursor.skipValue(mostLevels: 512)) != nil, (try? cursor.end()) != nil else { return nil }
        if text.unicodeScalars.allSatisfy(Escaping.isSafe) { return bytes }
        var line: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            // Between values; in strings JSON has escaped them.
            case "\n", "\r", "\t": line.append(UInt8(ascii: " "))
            case _ where Escaping.isSafe(scalar): line += String(scalar).utf8
            default: for unit in String(scalar).utf16 { line += String(format: "\\u%04x", unit).utf8 }
            }
        }
        return line
    }

    /// An element of a key: a number, a string, an array; bytes and identifiers as their text.
    static func of(_ value: TupleValue) -> [UInt8] {
        switch value {
        case .null: Array("null".utf8)
        case .bool(let value): Array("\(value)".utf8)
        case .int(let value): Array("\(value)".utf8)
        case .uint(let value): Array("\(value)".utf8)
        case .float(let value): number(Double(value), "\(value)")
        case .double(let value): number(value, "\(value)")
        case .string(let value): JSONText.quoted(value)
        case .bytes, .uuid: JSONText.quoted(value.description)
        case .tuple(let values): array(values.map(of))
        }
    }

    static func number(_ value: Double, _ text: String) -> [UInt8] {
        value.isFinite ? Array(text.utf8) : JSONText.quoted(text)
    }

    static func array(_ values: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + values.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}

/// What a property list has, as JSON: dates as text, data as base64.
private enum PropertyListValue: Decodable {
    case null
    case bool(Bool)
    case number([UInt8])
    case text(String)
    case array([PropertyListValue])
    case object([String: PropertyListValue])

    init(from decoder: any Decoder) throws {
        if let object = try? [String: PropertyListValue](from: decoder) {
            self = .object(object)
        } else if let array = try? [PropertyListValue](from: decoder) {
            self = .array(array)
        } else {
            self = try Self.single(try decoder.singleValueContainer())
        }
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> PropertyListValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .number(Array("\(value)".utf8)) }
        if let value = try? container.decode(UInt64.self) { return .number(Array("\(value)".utf8)) }
        if let value = try? container.decode(Double.self) { return .number(JSONLine.number(value, "\(value)")) }
        if let value = try? container.decode(Date.self) { return .text(value.ISO8601Format()) }
        if let value = try? container.decode(Data.self) { return .text(value.base64EncodedString()) }
        return .text(try container.decode(String.self))
    }

    var json: [UInt8] {
        switch self {
        case .null: return Array("null".utf8)
        case .bool(let value): return Array("\(value)".utf8)
        case .number(let text): return text
        case .text(let text): return JSONText.quoted(text)
        case .array(let values): return JSONLine.array(values.map(\.json))
        case .object(let members):
            var object = JSONText()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) { object.add(json: name, value.json) }
            return object.bytes
        }
    }
}
