/// Bytes in one line of text, so that they can be told back exactly.
///
/// Printable UTF-8 stands as it is. A backslash, a tab, a line feed and a carriage return become `\\`, `\t`, `\n` and
/// `\r`. Every other control character, and every byte that isn't part of valid UTF-8, becomes `\xHH`, byte by byte.
enum Escaping {
    /// Appends the escaped form of `bytes`.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        if bytes.allSatisfy(isPlain) {
            text += bytes
            return
        }
        var rest = bytes[...]
        while let first = rest.first {
            if isPlain(first) {
                text.append(first)
                rest.removeFirst()
                continue
            }
            let count = lengthOfPrintableCharacter(rest)
            if count > 0 {
                text += rest.prefix(count)
                rest.removeFirst(count)
            } else {
                appendEscape(first, to: &text)
                rest.removeFirst()
            }
        }
    }

    /// The escaped form of `bytes`.
    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// ASCII that needs no thought.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\")
    }

    /// The bytes of the character of two bytes or more at the start; 0 if there is none, or if it is a control
    /// character (U+0080 to U+009F: terminals obey some of them).
    private static func lengthOfPrintableCharacter(_ bytes: ArraySlice<UInt8>) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        guard case .valid(let encoded) = parser.parseScalar(from: &iterator), encoded.count > 1 else { return 0 }
        return Unicode.UTF8.decode(encoded).value < 0xA0 ? 0 : encoded.count
    }

    private static func appendEscape(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "\t"): text.append(UInt8(ascii: "t"))
        case UInt8(ascii: "\n"): text.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): text.append(UInt8(ascii: "r"))
        default:
            text.append(UInt8(ascii: "x"))
            text.append(hexadecimalDigit(byte >> 4))
            text.append(hexadecimalDigit(byte & 15))
        }
    }
}

/// The digit of a number under 16, in lower case.
func hexadecimalDigit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
}
