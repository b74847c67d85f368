import Foundation

/// An event in the body of a request.
struct ScannedEvent {
    /// The longest type, in bytes of UTF-8.
    static let maximumTypeBytes = 100

    /// Where the client's object is, from brace to brace.
    var object: Range<Int>
    var type: String
    /// Milliseconds since 1970; nil if the event has no time.
    var time: UInt64?
}

/// Walks over JSON (RFC 8259), and checks it. What it accepts is stored and sent to readers byte for byte.
///
/// Foundation doesn't do for that: it accepts a comma before the end of a list, a name that occurs twice, and numbers
/// that are none as long as they aren't asked for; and it doesn't tell the byte where something is wrong.
struct EventScanner {
    /// How deeply objects and arrays may be nested. Bounds the stack.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    /// The byte that is looked at next, and the end of what is looked at.
    private(set) var position: Int
    private var end: Int

    init(_ bytes: [UInt8]) { (self.bytes, position, end) = (bytes, 0, bytes.count) }

    // MARK: Bodies

    /// An object, or an array of objects.
    mutating func readJSON(_ body: (ScannedEvent) throws(Problem) -> Void) throws(Problem) {
        if !skip("[") {
            try read(body, index: 0)
        } else if !skip("]") {
            var index = 0
            repeat {
                try read(body, index: index)
                index += 1
            } while skip(",")
            guard skip("]") else { throw error("',' or ']' is expected") }
        }
        if peek() != nil { throw error("there is more after the end") }
    }

    /// An object a line. Empty lines are skipped.
    mutating func readLines(_ body: (ScannedEvent) throws(Problem) -> Void) throws(Problem) {
        var line = 0
        while position < bytes.count {
            line += 1
            end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if peek() != nil { try read(body, line: line) }
            position = end + 1
        }
    }

    private mutating func read(
        _ body: (ScannedEvent) throws(Problem) -> Void, index: Int? = nil, line: Int? = nil
    ) throws(Problem) {
        do throws(Problem) {
            let event = try event()
            if line != nil && peek() != nil { throw error("there is more after the object") }
            try body(event)
        } catch {
            var problem = error
            problem.fault?.index = index
            problem.fault?.line = line
            problem.detail = (index.map { "event \($0): " } ?? "line \(line ?? 0): ") + problem.detail
            throw problem
        }
    }

    // MARK: Events

    /// An object, if it is an event.
    mutating func event() throws(Problem) -> ScannedEvent {
        guard peek() == UInt8(ascii: "{") else { throw error("an event must be an object") }
        let start = position
        var type: String?
        var time: UInt64?
        try skipObject(depth: 0) { (scanner, name) throws(Problem) in
            switch scanner.decode(name) {
            case "type":
                if type != nil { throw scanner.error("'type' occurs twice") }
                type = try scanner.type()
            case "time":
                if time != nil { throw scanner.error("'time' occurs twice") }
                time = try scanner.time()
            default: try scanner.skipValue(depth: 1)
            }
        }
        guard let type else { throw Self.error("the field 'type' is missing", at: start) }
        return ScannedEvent(object: start..<position, type: type, time: time)
    }

    private mutating func type() throws(Problem) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw error("'type' must be a string") }
        let start = position
        let type = decode(try string())
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        guard 1...ScannedEvent.maximumTypeBytes ~= type.utf8.count, !type.unicodeScalars.contains(where: isControl)
        else { throw Self.error("'type' must have 1 to 100 bytes and no control characters", at: start) }
        return type
    }

    private mutating func time() throws(Problem) -> UInt64 {
        let first = peek()
        let start = position
        var time: UInt64?
        if first == UInt8(ascii: "\"") {
            time = Timestamps.parse(bytes[try string()])
        } else if first.map({ $0 &- 0x30 < 10 }) == true {
            try skipNumber()
            time = UInt64(String(decoding: bytes[start..<position], as: UTF8.self))
        }
        guard let time, time < Timestamps.end else {
            throw Self.error(
                "'time' must be a time of RFC 3339, or milliseconds since 1970, before the year 10000", at: start)
        }
        return time
    }

    /// The text of a string that was accepted.
    private func decode(_ string: Range<Int>) -> String {
        let text = String(decoding: bytes[string], as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        return (try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))) ?? text
    }

    // MARK: Values

    /// The next byte after white space; nil at the end.
    private mutating func peek() -> UInt8? {
        while position < end {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }

    /// Skips white space and this character, if it comes next.
    private mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    private mutating func skipValue(depth: Int) throws(Problem) {
        switch peek() {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"):
            try skipObject(depth: depth) { (scanner, _) throws(Problem) in try scanner.skipValue(depth: depth + 1) }
        case UInt8(ascii: "["): try skipArray(depth: depth)
        case let byte? where byte == UInt8(ascii: "-") || byte &- 0x30 < 10: try skipNumber()
        default:
            let rest = bytes[position..<end]
            guard let word = ["true", "false", "null"].first(where: { rest.starts(with: $0.utf8) }) else {
                throw error("a value is expected")
            }
            position += word.utf8.count
        }
    }

    private mutating func skipObject(
        depth: Int, member: (inout EventScanner, Range<Int>) throws(Problem) -> Void
    ) throws(Problem) {
        guard depth < Self.maximumDepth else { throw error("nested too deeply") }
        position += 1
        if skip("}") { return }
        repeat {
            guard peek() == UInt8(ascii: "\"") else { throw error("a name in quotes is expected") }
            let name = try string()
            guard skip(":") else { throw error("':' is expected") }
            try member(&self, name)
        } while skip(",")
        guard skip("}") else { throw error("',' or '}' is expected") }
    }

    private mutating func skipArray(depth: Int) throws(Problem) {
        guard depth < Self.maximumDepth else { throw error("nested too deeply") }
        position += 1
        if skip("]") { return }
        repeat { try skipValue(depth: depth + 1) } while skip(",")
        guard skip("]") else { throw error("',' or ']' is expected") }
    }

    private mutating func skipNumber() throws(Problem) {
        _ = next("-")
        if !next("0") { try skipDigits() }
        if next(".") { try skipDigits() }
        if next("e") || next("E") {
            _ = next("+") || next("-")
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(Problem) {
        let start = position
        while position < end, bytes[position] &- 0x30 < 10 { position += 1 }
        if position == start { throw error("a digit is expected") }
    }

    /// Skips this character, if it is the next one.
    private mutating func next(_ expected: Unicode.Scalar) -> Bool {
        guard position < end, bytes[position] == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    /// A string, at whose first quote the scanner is: where its content is, without the quotes.
    private mutating func string() throws(Problem) -> Range<Int> {
        position += 1
        let start = position
        var isASCII = true
        while position < end, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] < 0x20 { throw error("a control character must be escaped") }
            if bytes[position] >= 0x80 { isASCII = false }
            if bytes[position] == UInt8(ascii: "\\") { try skipEscape() } else { position += 1 }
        }
        guard position < end else { throw error("a string doesn't end") }
        let content = start..<position
        guard isASCII || String(validating: bytes[content], as: UTF8.self) != nil else {
            throw Self.error("not UTF-8", at: start)
        }
        position += 1
        return content
    }

    private mutating func skipEscape() throws(Problem) {
        position += 1
        if next("u") {
            let unit = try codeUnit()
            if unit & 0xFC00 == 0xDC00 { throw error("half of a surrogate pair") }
            guard unit & 0xFC00 == 0xD800 else { return }
            guard next("\\"), next("u"), try codeUnit() & 0xFC00 == 0xDC00 else {
                throw error("half of a surrogate pair")
            }
        } else {
            guard position < end, "\"\\/bfnrt".utf8.contains(bytes[position]) else { throw error("an unknown escape") }
            position += 1
        }
    }

    /// The four digits of `\uXXXX`.
    private mutating func codeUnit() throws(Problem) -> UInt16 {
        let digits = bytes[position..<min(position + 4, end)]
        guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("\\u needs four digits") }
        position += 4
        return unit
    }

    private func error(_ reason: String) -> Problem { Self.error(reason, at: position) }

    static func error(_ reason: String, at offset: Int) -> Problem {
        var problem = Problem.badRequest("invalid-events", "\(reason), at byte \(offset)")
        problem.fault = Problem.Fault(offset: offset, reason: reason)
        return problem
    }
}
