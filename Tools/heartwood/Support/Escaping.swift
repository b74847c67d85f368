/// Bytes as one line of text, from which they can be restored exactly.
///
/// Printable UTF-8 is unchanged. A backslash, a tab, a line feed and a carriage return become `\\`, `\t`, `\n` and
/// `\r`. These become `\xHH`, byte by byte: every other control character; every character that changes how its
/// neighbours are shown (such as U+202E, which reverses their order); every byte that isn't part of valid UTF-8.
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

    /// A line of text that contains paths or messages, safe for a terminal: as ``text(_:)``, but without escaping
    /// backslashes.
    static func line(_ text: String) -> String {
        escaped(text) { isSafe($0) }
    }

    /// As ``line(_:)``, but without escaping line ends and tabs.
    static func lines(_ text: String) -> String {
        escaped(text) { isSafe($0) || $0 == "\n" || $0 == "\t" }
    }

    /// Whether a terminal only shows the character. It may obey control characters. Other characters change the order
    /// in which their neighbours are shown, or are invisible.
    static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: false
        // Direction marks and embeddings, line separators, and characters that have no width or are tags.
        case 0x061C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: false
        case 0xE0000...0xE007F: false
        default: true
        }
    }

    private static func escaped(_ text: String, unless isPlain: (Unicode.Scalar) -> Bool) -> String {
        if text.unicodeScalars.allSatisfy(isPlain) { return text }
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            for byte in String(scalar).utf8 {
                if isPlain(scalar) { result.append(byte) } else { appendEscape(byte, to: &result) }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Printable ASCII that needs no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\")
    }

    /// The length of the character of two or more bytes at the start; 0 if there is none, or if a terminal may not show
    /// it as it is.
    private static func lengthOfPrintableCharacter(_ bytes: ArraySlice<UInt8>) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        guard case .valid(let encoded) = parser.parseScalar(from: &iterator), encoded.count > 1 else { return 0 }
        return isSafe(Unicode.UTF8.decode(encoded)) ? encoded.count : 0
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
