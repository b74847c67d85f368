/// How keys and values are printed.
enum ByteNotation {
    /// As text. Other bytes are escaped; in JSON, a key or value that is not UTF-8 is base64.
    case text
    /// Two digits for each byte.
    case hexadecimal

    /// Appends a key or value: one piece of a line, without tabs and line ends.
    func append(_ bytes: [UInt8], to line: inout [UInt8]) {
        switch self {
        case .text: Escaping.append(bytes, to: &line)
        case .hexadecimal: Hexadecimal.append(bytes, to: &line)
        }
    }

    /// A key or value as one piece of a line.
    func string(_ bytes: [UInt8]) -> String {
        var line: [UInt8] = []
        append(bytes, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// Adds a key or value to an object. Hexadecimal digits are a string under the name with the suffix "Hex".
    func add(_ name: String, _ bytes: [UInt8], to json: inout JSONText) {
        switch self {
        case .text: json.add(name, bytes)
        case .hexadecimal: json.add(name + "Hex", string(bytes))
        }
    }
}
