/// Walks over JSON (RFC 8259) and checks it, without building anything.
///
/// A walk ends at the first byte that isn't JSON, and never reads outside of the bytes. Text must be valid UTF-8, and
/// escapes must be valid UTF-16, so that each accepted string can be decoded.
struct JSONScanner {
    /// How deeply objects and arrays may be nested. Bounds the stack.
    static let maximumDepth = 64

    /// The byte that is looked at next.
    private(set) var position = 0

    /// A string: where its content is, without the quotes.
    struct Text {
        var content: Range<Int>
        var hasEscapes: Bool
    }

    init(at position: Int = 0) { self.position = position }

    /// The next byte after white space; nil at the end.
    mutating func peek(_ bytes: borrowing Span<UInt8>) -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }

    /// Skips white space and this byte, if it comes next.
    mutating func skip(_ expected: UInt8, _ bytes: borrowing Span<UInt8>) -> Bool {
        guard peek(bytes) == expected else { return false }
        position += 1
        return true
    }

    /// Skips white space and any value.
    mutating func skipValue(_ bytes: borrowing Span<UInt8>, depth: Int = 0) throws(JSONError) {
        guard let first = peek(bytes) else { throw error("a value is missing") }
        switch first {
        case UInt8(ascii: "\""): _ = try string(bytes)
        case UInt8(ascii: "{"): try skipObject(bytes, depth: depth)
        case UInt8(ascii: "["): try skipArray(bytes, depth: depth)
        case UInt8(ascii: "t"): try skipWord("true", bytes)
        case UInt8(ascii: "f"): try skipWord("false", bytes)
        case UInt8(ascii: "n"): try skipWord("null", bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try number(bytes)
        default: throw error("a value is expected")
        }
    }

    private mutating func skipObject(_ bytes: borrowing Span<UInt8>, depth: Int) throws(JSONError) {
        guard depth < Self.maximumDepth else { throw error("nested too deeply") }
        position += 1
        if skip(UInt8(ascii: "}"), bytes) { return }
        repeat {
            _ = try name(bytes)
            try skipValue(bytes, depth: depth + 1)
        } while skip(UInt8(ascii: ","), bytes)
        guard skip(UInt8(ascii: "}"), bytes) else { throw error("',' or '}' is expected") }
    }

    private mutating func skipArray(_ bytes: borrowing Span<UInt8>, depth: Int) throws(JSONError) {
        guard depth < Self.maximumDepth else { throw error("nested too deeply") }
        position += 1
        if skip(UInt8(ascii: "]"), bytes) { return }
        repeat {
            try skipValue(bytes, depth: depth + 1)
        } while skip(UInt8(ascii: ","), bytes)
        guard skip(UInt8(ascii: "]"), bytes) else { throw error("',' or ']' is expected") }
    }

    private mutating func skipWord(_ word: StaticString, _ bytes: borrowing Span<UInt8>) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count, bytes[position] == word.utf8Start[index] else {
                throw error("a value is expected")
            }
            position += 1
        }
    }

    /// A member's name and the colon after it.
    mutating func name(_ bytes: borrowing Span<UInt8>) throws(JSONError) -> Text {
        guard peek(bytes) == UInt8(ascii: "\"") else { throw error("a name in quotes is expected") }
        let text = try string(bytes)
        guard skip(UInt8(ascii: ":"), bytes) else { throw error("':' is expected") }
        return text
    }

    /// A number: where it is.
    mutating func number(_ bytes: borrowing Span<UInt8>) throws(JSONError) -> Range<Int> {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try skipDigits(bytes)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try skipDigits(bytes)
        }
        return start..<position
    }

    /// At least one.
    private mutating func skipDigits(_ bytes: borrowing Span<UInt8>) throws(JSONError) {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        if position == start { throw error("a digit is expected") }
    }

    func error(_ reason: StaticString) -> JSONError { JSONError(offset: position, reason: reason) }
}

/// Why bytes aren't JSON, or not an event.
struct JSONError: Error {
    /// The byte at which it was found.
    var offset: Int
    /// What is wrong, for people.
    var reason: StaticString
}

extension JSONScanner {
    /// A string, at whose first quote the scanner is.
    mutating func string(_ bytes: borrowing Span<UInt8>) throws(JSONError) -> Text {
        position += 1
        let start = position
        var hasEscapes = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return Text(content: start..<(position - 1), hasEscapes: hasEscapes)
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try skipEscape(bytes)
            } else if byte < 0x20 {
                throw error("a control character must be escaped")
            } else if byte < 0x80 {
                position += 1
            } else {
                try skipMultibyte(bytes)
            }
        }
        throw error("a string doesn't end")
    }

    private mutating func skipEscape(_ bytes: borrowing Span<UInt8>) throws(JSONError) {
        guard position + 1 < bytes.count else { throw error("a string doesn't end") }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            let unit = try codeUnit(bytes)
            if unit & 0xFC00 == 0xDC00 { throw error("half of a surrogate pair") }
            guard unit & 0xFC00 == 0xD800 else { return }
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u"), try codeUnit(bytes) & 0xFC00 == 0xDC00
            else { throw error("half of a surrogate pair") }
        default: throw error("an unknown escape")
        }
    }

    /// The four digits of `\uXXXX`.
    private mutating func codeUnit(_ bytes: borrowing Span<UInt8>) throws(JSONError) -> UInt16 {
        guard position + 6 <= bytes.count else { throw error("a string doesn't end") }
        var unit: UInt16 = 0
        for index in (position + 2)..<(position + 6) {
            guard let digit = HexDigits.value(of: bytes[index]) else { throw error("\\u needs four digits") }
            unit = unit << 4 | UInt16(digit)
        }
        position += 6
        return unit
    }

    /// One scalar above U+007F: the well-formed sequences of the Unicode standard, table 3-7.
    private mutating func skipMultibyte(_ bytes: borrowing Span<UInt8>) throws(JSONError) {
        let first = bytes[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: throw error("not UTF-8")
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { throw error("not UTF-8") }
        for index in (position + 2)..<(position + length) where bytes[index] & 0xC0 != 0x80 {
            throw error("not UTF-8")
        }
        position += length
    }
}
