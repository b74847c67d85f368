/// An event in the body of a request: where its parts are.
struct ScannedEvent {
    /// The longest type, in bytes of UTF-8.
    static let maximumTypeBytes = 100

    /// The client's object, from brace to brace.
    var object: Range<Int>
    /// The value of "type".
    var type: JSONScanner.Text
    /// The value of "time" in milliseconds since 1970; nil if there is none.
    var time: UInt64?
}

extension ScannedEvent {
    /// Reads one object, and checks that it is an event.
    init(_ bytes: borrowing Span<UInt8>, _ scanner: inout JSONScanner) throws(JSONError) {
        guard scanner.skip(UInt8(ascii: "{"), bytes) else { throw scanner.error("an event must be an object") }
        let start = scanner.position - 1
        var (type, time): (JSONScanner.Text?, UInt64?) = (nil, nil)
        if !scanner.skip(UInt8(ascii: "}"), bytes) {
            repeat {
                switch Field(try scanner.name(bytes), bytes) {
                case .type:
                    if type != nil { throw scanner.error("'type' occurs twice") }
                    type = try Self.type(bytes, &scanner)
                case .time:
                    if time != nil { throw scanner.error("'time' occurs twice") }
                    time = try Self.time(bytes, &scanner)
                case nil: try scanner.skipValue(bytes, depth: 1)
                }
            } while scanner.skip(UInt8(ascii: ","), bytes)
            guard scanner.skip(UInt8(ascii: "}"), bytes) else { throw scanner.error("',' or '}' is expected") }
        }
        guard let type else { throw JSONError(offset: start, reason: "the field 'type' is missing") }
        self.init(object: start..<scanner.position, type: type, time: time)
    }

    /// A member that matters here.
    private enum Field {
        case type, time

        init?(_ name: JSONScanner.Text, _ bytes: borrowing Span<UInt8>) {
            guard !name.hasEscapes else {
                switch JSONText.decode(name, in: bytes) {
                case Array("type".utf8): self = .type
                case Array("time".utf8): self = .time
                default: return nil
                }
                return
            }
            let start = name.content.lowerBound
            guard name.content.count == 4, bytes[start] == UInt8(ascii: "t"), bytes[start + 3] == UInt8(ascii: "e")
            else { return nil }
            switch (bytes[start + 1], bytes[start + 2]) {
            case (UInt8(ascii: "y"), UInt8(ascii: "p")): self = .type
            case (UInt8(ascii: "i"), UInt8(ascii: "m")): self = .time
            default: return nil
            }
        }
    }

    private static func type(
        _ bytes: borrowing Span<UInt8>, _ scanner: inout JSONScanner
    ) throws(JSONError) -> JSONScanner.Text {
        guard scanner.peek(bytes) == UInt8(ascii: "\"") else { throw scanner.error("'type' must be a string") }
        let start = scanner.position
        let type = try scanner.string(bytes)
        func invalid() -> JSONError {
            JSONError(offset: start, reason: "'type' must have 1 to 100 bytes and no control characters")
        }
        if type.hasEscapes {
            let decoded = JSONText.decode(type, in: bytes)
            guard decoded.count <= maximumTypeBytes, !hasControls(decoded.span, decoded.indices) else {
                throw invalid()
            }
        } else {
            guard 1...maximumTypeBytes ~= type.content.count, !hasControls(bytes, type.content) else {
                throw invalid()
            }
        }
        return type
    }

    /// Whether text in UTF-8 has a character below U+0020, or U+007F to U+009F.
    private static func hasControls(_ bytes: borrowing Span<UInt8>, _ text: Range<Int>) -> Bool {
        var isAfterC2 = false
        for index in text {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x7F || isAfterC2 && byte < 0xA0 { return true }
            isAfterC2 = byte == 0xC2
        }
        return false
    }

    private static func time(
        _ bytes: borrowing Span<UInt8>, _ scanner: inout JSONScanner
    ) throws(JSONError) -> UInt64? {
        guard let first = scanner.peek(bytes) else { throw scanner.error("a value is missing") }
        let start = scanner.position
        let time: UInt64?
        switch first {
        case UInt8(ascii: "\""):
            let text = try scanner.string(bytes)
            time = Timestamps.parse(bytes, text.content)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            time = milliseconds(bytes, try scanner.number(bytes))
        default:
            time = nil
        }
        guard let time else {
            throw JSONError(
                offset: start,
                reason: "'time' must be a time of RFC 3339, or milliseconds since 1970, before the year 10000")
        }
        return time
    }

    private static func milliseconds(_ bytes: borrowing Span<UInt8>, _ digits: Range<Int>) -> UInt64? {
        guard digits.count <= 15 else { return nil }
        var number: UInt64 = 0
        for index in digits {
            guard bytes[index] &- 0x30 < 10 else { return nil }
            number = number * 10 + UInt64(bytes[index] - 0x30)
        }
        return number < Timestamps.end ? number : nil
    }
}
