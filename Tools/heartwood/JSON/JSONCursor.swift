/// Reads one JSON text (RFC 8259) in one pass, and extracts what is requested.
///
/// Not an existing parser, for two reasons. A key made from a number must be the number as it was written (`1.0`, or
/// twenty digits). A line that is kept byte for byte needs no tree of objects. Skipped values must follow the grammar
/// too. Nesting costs a byte a level, not a stack frame, so hostile input can't exhaust the stack.
struct JSONCursor {
    private let bytes: [UInt8]
    private var position = 0

    /// A cursor at the start of `bytes`, which must be UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The kinds of values, which the first byte determines.
    enum Kind { case object, array, string, number, literal }

    /// The kind of the next value.
    mutating func kind() throws(JSONProblem) -> Kind {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"): return .number
        case let byte? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .literal
        default: throw problem("expected a value")
        }
    }

    /// Reads an object. `member` is called with each name and must read, or skip, the value after it.
    mutating func object(
        _ member: (_ name: [UInt8], _ cursor: inout JSONCursor) throws(JSONProblem) -> Void
    ) throws(JSONProblem) {
        skipSpace()
        guard take(UInt8(ascii: "{")) else { throw problem("expected an object, '{'") }
        skipSpace()
        if take(UInt8(ascii: "}")) { return }
        repeat {
            let name = try string()
            try colon()
            try member(name, &self)
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw problem("expected ',' or '}'") }
    }

    /// Reads a string: its UTF-8 without quotes and escapes.
    mutating func string() throws(JSONProblem) -> [UInt8] {
        let extent = try stringExtent()
        guard extent.hasEscapes else { return Array(bytes[extent.range]) }
        return try JSONEscapes.decode(bytes[extent.range])
    }

    /// Reads a number: its bytes as they are written.
    mutating func number() throws(JSONProblem) -> [UInt8] {
        skipSpace()
        let start = position
        try skipNumber()
        return Array(bytes[start..<position])
    }

    /// Reads a value of any kind: its bytes as they are written.
    mutating func verbatim() throws(JSONProblem) -> [UInt8] {
        skipSpace()
        let start = position
        try skipValue()
        return Array(bytes[start..<position])
    }

    /// Skips one value of any kind.
    ///
    /// - Parameter mostLevels: How deep objects and arrays may be in each other.
    mutating func skipValue(mostLevels: Int = .max) throws(JSONProblem) {
        var closers: [UInt8] = []
        repeat {
            guard closers.count <= mostLevels else { throw problem("more than \(mostLevels) levels") }
            switch try kind() {
            case .object:
                position += 1
                skipSpace()
                if !take(UInt8(ascii: "}")) {
                    closers.append(UInt8(ascii: "}"))
                    try skipName()
                    continue
                }
            case .array:
                position += 1
                skipSpace()
                if !take(UInt8(ascii: "]")) {
                    closers.append(UInt8(ascii: "]"))
                    continue
                }
            case .string: _ = try stringExtent()
            case .number: try skipNumber()
            case .literal: try skipLiteral()
            }
            try closeWhatEnds(&closers)
        } while !closers.isEmpty
    }

    /// Checks that only whitespace follows.
    mutating func end() throws(JSONProblem) {
        skipSpace()
        if position < bytes.count { throw problem("unexpected text after the value") }
    }

    /// A problem at the current position.
    func problem(_ message: String) -> JSONProblem {
        position < bytes.count
            ? JSONProblem(message: message, column: position + 1)
            : JSONProblem(message: "\(message), but the line ends", column: position + 1)
    }
}

// MARK: - The grammar, piece by piece

extension JSONCursor {
    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func colon() throws(JSONProblem) {
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw problem("expected ':'") }
    }

    private mutating func skipName() throws(JSONProblem) {
        _ = try stringExtent()
        try colon()
    }

    /// After a value: skips the brackets that close here, and the comma before the next value.
    private mutating func closeWhatEnds(_ closers: inout [UInt8]) throws(JSONProblem) {
        while let closer = closers.last {
            skipSpace()
            if take(UInt8(ascii: ",")) {
                if closer == UInt8(ascii: "}") { try skipName() }
                return
            }
            guard take(closer) else { throw problem("expected ',' or '\(Character(Unicode.Scalar(closer)))'") }
            closers.removeLast()
        }
    }

    /// Skips a string, and returns the range of its content.
    private mutating func stringExtent() throws(JSONProblem) -> (range: Range<Int>, hasEscapes: Bool) {
        skipSpace()
        guard take(UInt8(ascii: "\"")) else { throw problem("expected a string, '\"'") }
        let start = position
        var hasEscapes = false
        while let byte = peek {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return (start..<position - 1, hasEscapes)
            }
            if byte < 0x20 { throw problem("control character in a string") }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try skipEscape()
            } else {
                position += 1
            }
        }
        throw problem("expected the end of a string")
    }

    private mutating func skipEscape() throws(JSONProblem) {
        position += 1
        switch peek {
        case UInt8(ascii: "u"):
            position += 1
            for _ in 0..<4 {
                guard let digit = peek, Hexadecimal.number(of: digit) != nil else {
                    throw problem("expected four hexadecimal digits")
                }
                position += 1
            }
        case let byte? where JSONEscapes.character(after: byte) != nil: position += 1
        default: throw problem("unknown escape in a string")
        }
    }

    private mutating func skipNumber() throws(JSONProblem) {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try skipDigits() }
        if take(UInt8(ascii: ".")) { try skipDigits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONProblem) {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        if position == start { throw problem("expected a digit") }
    }

    private mutating func skipLiteral() throws(JSONProblem) {
        for literal in ["true", "false", "null"] where bytes[position...].starts(with: literal.utf8) {
            position += literal.utf8.count
            return
        }
        throw problem("expected a value")
    }
}
