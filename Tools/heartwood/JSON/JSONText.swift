/// One JSON object in one line, member by member.
struct JSONText {
    private var text: [UInt8] = [UInt8(ascii: "{")]
    private var isEmpty = true

    /// The object's bytes, without a line end. After ``taken()`` those that are left.
    var bytes: [UInt8] { text + [UInt8(ascii: "}")] }

    /// The bytes up to now; later ones continue them.
    mutating func taken() -> [UInt8] {
        defer { text.removeAll() }
        return text
    }

    /// The object as a string.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds bytes: as a string under `name` if they are UTF-8, otherwise in base64 under the name with the suffix "64".
    mutating func add(_ name: String, _ value: [UInt8]) {
        if String(validating: value, as: UTF8.self) != nil {
            addName(name)
            Self.append(value, to: &text)
        } else {
            addName(name + "64")
            Self.append(Base64.encode(value).utf8, to: &text)
        }
    }

    mutating func add(_ name: String, _ value: String) {
        addName(name)
        Self.append(value.utf8, to: &text)
    }

    /// Adds a whole number; numbers beyond 2^53 are written in full.
    mutating func add(_ name: String, _ value: some BinaryInteger) {
        addName(name)
        text += String(value).utf8
    }

    /// Adds a number with three decimals.
    mutating func add(_ name: String, _ value: Double) {
        addName(name)
        text += Numbers.decimal(value, places: 3).utf8
    }

    mutating func add(_ name: String, _ value: Bool) {
        addName(name)
        text += (value ? "true" : "false").utf8
    }

    mutating func addNull(_ name: String) {
        addName(name)
        text += "null".utf8
    }

    mutating func add(_ name: String, _ values: [String]) {
        addArray(name, values) { Self.append($0.utf8, to: &$1) }
    }

    mutating func add(_ name: String, _ values: [UInt64]) {
        addArray(name, values) { $1 += String($0).utf8 }
    }

    mutating func add(_ name: String, _ values: [JSONText]) {
        addArray(name, values) { $1 += $0.bytes }
    }

    mutating func add(_ name: String, _ value: JSONText) {
        addName(name)
        text += value.bytes
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

    private mutating func addArray<Value>(
        _ name: String, _ values: [Value], _ append: (Value, inout [UInt8]) -> Void
    ) {
        addName(name)
        text.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(value, &text)
        }
        text.append(UInt8(ascii: "]"))
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
    private static func append(_ utf8: some Collection<UInt8>, to text: inout [UInt8]) {
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
