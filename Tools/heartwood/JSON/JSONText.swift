/// What a member of a ``JSONText`` can be, besides bytes.
protocol JSONValue {
    /// Whether it is only null because it isn't known.
    var isUnknown: Bool { get }
    func append(to text: inout [UInt8])
}

extension JSONValue {
    var isUnknown: Bool { false }
}

/// One JSON object in one line, member by member.
struct JSONText: JSONValue, ExpressibleByDictionaryLiteral {
    private var text: [UInt8] = [UInt8(ascii: "{")]
    private var isEmpty = true

    init() {}

    init(dictionaryLiteral members: (String, any JSONValue)...) {
        for (name, value) in members { add(name, value) }
    }

    /// The object's bytes, without a line end. After ``taken()`` those that are left.
    var bytes: [UInt8] { text + [UInt8(ascii: "}")] }

    /// The bytes up to now; later ones continue them.
    mutating func taken() -> [UInt8] {
        defer { text.removeAll() }
        return text
    }

    /// The object as a string.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    func append(to text: inout [UInt8]) { text += bytes }

    /// Adds bytes: as a string under `name` if they are UTF-8, otherwise in base64 under the name with the suffix "64".
    mutating func add(_ name: String, _ value: [UInt8]) {
        let isText = String(validating: value, as: UTF8.self) != nil
        addName(isText ? name : name + "64")
        Self.append(isText ? value : Array(Base64.encode(value).utf8), to: &text)
    }

    mutating func add(_ name: String, _ value: some JSONValue) {
        addName(name)
        value.append(to: &text)
    }

    mutating func add(_ members: KeyValuePairs<String, any JSONValue>) {
        for (name, value) in members { add(name, value) }
    }

    /// Adds those members that aren't nil.
    mutating func add(known members: KeyValuePairs<String, any JSONValue>) {
        for (name, value) in members where !value.isUnknown { add(name, value) }
    }

    /// Adds a value that is JSON already.
    mutating func add(json name: String, _ value: [UInt8]) {
        addName(name)
        text += value
    }

    /// A string as JSON.
    static func quoted(_ string: String) -> [UInt8] {
        var text: [UInt8] = []
        append(string.utf8, to: &text)
        return text
    }

    /// Begins a string, whose content and closing quote don't come from here.
    mutating func begin(_ name: String) {
        addName(name)
        text.append(UInt8(ascii: "\""))
    }

    private mutating func addName(_ name: String) {
        if !isEmpty { text.append(UInt8(ascii: ",")) }
        isEmpty = false
        Self.append(name.utf8, to: &text)
        text.append(UInt8(ascii: ":"))
    }

    /// Appends a string with its quotes. The bytes are UTF-8. They are not escaped if JSON allows that and a terminal
    /// shows them as they are.
    fileprivate static func append(_ utf8: some Collection<UInt8>, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        appendContent(utf8, to: &text)
        text.append(UInt8(ascii: "\""))
    }

    /// The same without quotes: for a part of a string that ends where a character does.
    static func appendContent(_ utf8: some Collection<UInt8>, to text: inout [UInt8]) {
        // The first bytes of all characters that must be escaped, and of some others.
        if utf8.contains(where: { $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 || $0 == 0xEF || $0 == 0xF3 }) {
            for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
                if scalar.value > 0x7F, !Escaping.isSafe(scalar) {
                    for unit in String(scalar).utf16 { appendEscape(unit, to: &text) }
                } else {
                    append(characters: String(scalar).utf8, to: &text)
                }
            }
        } else {
            append(characters: utf8, to: &text)
        }
    }

    private static func append(characters utf8: some Sequence<UInt8>, to text: inout [UInt8]) {
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case UInt8(ascii: "\n"): text += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): text += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case UInt8(ascii: "\t"): text += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case 0..<0x20, 0x7F:
                appendEscape(UInt16(byte), to: &text)
            default:
                text.append(byte)
            }
        }
    }

    private static func appendEscape(_ unit: UInt16, to text: inout [UInt8]) {
        text += "\\u".utf8
        for shift in [12, 8, 4, 0] { text.append(hexadecimalDigit(UInt8(unit >> UInt16(shift) & 15))) }
    }
}

extension String: JSONValue {
    func append(to text: inout [UInt8]) { JSONText.append(utf8, to: &text) }
}

extension Bool: JSONValue {
    func append(to text: inout [UInt8]) { text += (self ? "true" : "false").utf8 }
}

/// With three decimals.
extension Double: JSONValue {
    func append(to text: inout [UInt8]) { text += Numbers.decimal(self, places: 3).utf8 }
}

/// Numbers beyond 2^53 are written in full.
extension JSONValue where Self: BinaryInteger {
    func append(to text: inout [UInt8]) { text += String(self).utf8 }
}

extension Int: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension UInt16: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

/// Nil is null.
extension Optional: JSONValue where Wrapped: JSONValue {
    var isUnknown: Bool { self == nil }

    func append(to text: inout [UInt8]) {
        if let self { self.append(to: &text) } else { text += "null".utf8 }
    }
}

extension Array: JSONValue where Element: JSONValue {
    func append(to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        for (index, value) in enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            value.append(to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }
}
