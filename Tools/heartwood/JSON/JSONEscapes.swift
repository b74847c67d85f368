/// The escapes in JSON strings.
enum JSONEscapes {
    /// The UTF-8 of the content of a string, whose escapes must be well-formed.
    ///
    /// - Throws: ``JSONProblem`` for half of a surrogate pair, which UTF-8 can't represent.
    static func decode(_ text: ArraySlice<UInt8>) throws(JSONProblem) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                result.append(byte)
                continue
            }
            if let character = character(after: kind) {
                result.append(character)
            } else {
                let scalar = try scalar(&rest)
                result += Array(String(scalar).utf8)
            }
        }
        return result
    }

    /// The character of a short escape; nil if there is no such escape.
    static func character(after byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The character after `\u`, of one unit or of a surrogate pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) throws(JSONProblem) -> Unicode.Scalar {
        let first = unit(&rest)
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, rest.starts(with: "\\u".utf8) {
            rest.removeFirst(2)
            let second = unit(&rest)
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                return scalar
            }
        }
        throw JSONProblem(message: "half of a surrogate pair in a string", column: nil)
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32 {
        let digits = rest.prefix(4)
        rest.removeFirst(digits.count)
        return digits.reduce(0) { $0 << 4 | UInt32(Hexadecimal.number(of: $1) ?? 0) }
    }
}
