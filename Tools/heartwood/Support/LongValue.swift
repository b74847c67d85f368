internal import Heartwood
internal import HeartwoodFormat

/// A value that is too long to be held. It is decompressed and printed piece by piece.
///
/// A store of a megabyte may have a value of a gigabyte, and its escaped form four times as much.
struct LongValue {
    /// Longer values, in bytes, are long.
    static let heldBytes = 16 << 20

    private let stored: StoredValue
    /// Whether it is UTF-8.
    private(set) var isText = true
    /// The beginning of the value: what has the head of a record.
    private(set) var head: [UInt8] = []
    private static let headBytes = 1 << 20
    private var droppedBytes = 0

    var count: Int { stored.count - droppedBytes }

    /// O(bytes): the value is decompressed once to know whether that is possible, and whether it is text.
    ///
    /// - Throws: `FormatError` if it can't be decompressed.
    init(_ stored: StoredValue) throws {
        self.stored = stored
        var (head, isText) = ([UInt8](), true)
        try forEachPiece(endingAt: Self.endOfCharacters) { piece in
            head += piece.prefix(Self.headBytes - head.count)
            if isText { isText = String(validating: piece, as: UTF8.self) != nil }
        }
        (self.head, self.isText) = (head, isText)
    }

    /// The value without its first bytes: what follows the head of a record.
    func dropping(_ count: Int) -> LongValue {
        var rest = self
        rest.droppedBytes += count
        return rest
    }

    /// The forms in which bytes are printed.
    enum Form {
        /// As they are.
        case bytes
        /// Text on a terminal, with line ends and tabs.
        case lines
        /// A part of a line.
        case escaped
        case hexadecimal
        case base64
        /// Text in a JSON string.
        case json
    }

    func write(_ form: Form, to output: inout StandardOutput) throws {
        let end: ([UInt8]) -> Int =
            switch form {
            case .bytes, .hexadecimal: { $0.count }
            case .base64: { $0.count - $0.count % 3 }
            case .lines, .escaped, .json: Self.endOfCharacters
            }
        try forEachPiece(endingAt: end) { piece in
            try output.append { text in
                switch form {
                case .bytes: text += piece
                case .lines: text += Escaping.lines(String(decoding: piece, as: UTF8.self)).utf8
                case .escaped: Escaping.append(piece, to: &text)
                case .hexadecimal: Hexadecimal.append(piece, to: &text)
                case .base64: text += Base64.encode(piece).utf8
                case .json: JSONText.appendContent(piece, to: &text)
                }
            }
        }
    }

    /// Writes what an object has, and then this value as its next member.
    func write(_ name: String, _ form: Form, in json: inout JSONText, to output: inout StandardOutput) throws {
        json.begin(name)
        let before = json.taken()
        try output.write(before)
        try write(form, to: &output)
        try output.write([UInt8(ascii: "\"")])
    }

    /// - Parameter end: How many of the bytes that are there become a piece; the others begin the next one.
    private func forEachPiece(endingAt end: ([UInt8]) -> Int, _ body: ([UInt8]) throws -> Void) throws {
        var (left, rest) = (droppedBytes, [UInt8]())
        try stored.forEachPiece { piece in
            let dropped = min(left, piece.count)
            left -= dropped
            rest += piece[dropped...]
            let count = end(rest)
            try body(Array(rest[..<count]))
            rest.removeFirst(count)
        }
        if !rest.isEmpty { try body(rest) }
    }

    /// The bytes before a character of which only the beginning is there.
    private static func endOfCharacters(_ bytes: [UInt8]) -> Int {
        for (back, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back + 1 ? bytes.count - back - 1 : bytes.count
        }
        return bytes.count
    }
}

/// An entry as commands read it.
struct ReadEntry {
    /// Without its value if that is long.
    var entry: Entry
    var long: LongValue?

    init(_ entry: Entry) throws {
        self.entry = entry
        guard entry.value.count > LongValue.heldBytes else { return }
        self.entry.value = []
        long = try LongValue(StoredValue(entry.value, isCompressed: false))
    }

    init(_ entry: Entry, _ long: LongValue) { (self.entry, self.long) = (entry, long) }
}

extension ReadView {
    /// As `entry`, in a store that was opened with values of `LongValue.heldBytes` at most: longer ones are read, too.
    ///
    /// - Throws: `StoreError`; ``Failure`` for a long value that can't be decompressed.
    func readEntry(_ key: [UInt8]) throws -> ReadEntry? {
        do {
            return try entry(key).map { try ReadEntry($0) }
        } catch let error as StoreError where error.code == .tooLarge {
            guard let (entry, stored) = try storedValue(of: key) else { return nil }
            do {
                return ReadEntry(entry, try LongValue(stored))
            } catch {
                throw Failure(
                    .corruption,
                    "the value of '\(Escaping.text(key))' can't be decompressed (\(error)): see 'heartwood verify'",
                    key: key)
            }
        }
    }

    /// Calls `body` with the entries of a range until it returns `.stop`. See ``readEntry(_:)``.
    ///
    /// - Throws: As ``readEntry(_:)``; what `body` throws.
    func forEachEntry(
        in range: KeyRange, reversed: Bool = false, _ body: (ReadEntry) throws -> ScanDecision
    ) throws {
        var rest = range
        while true {
            var last: [UInt8]?
            do {
                return try scan(rest, reversed: reversed).forEachEntry { entry in
                    last = entry.key
                    return try body(ReadEntry(entry))
                }
            } catch let error as StoreError where error.code == .tooLarge {
                if let last { rest = rest.remainder(after: last, reversed: reversed) }
                guard let key = try scan(rest, reversed: reversed, limit: 1).keys.first(where: { _ in true }),
                    let long = try readEntry(key), try body(long) == .next
                else { return }
                rest = rest.remainder(after: key, reversed: reversed)
            }
        }
    }
}
