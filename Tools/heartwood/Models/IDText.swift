internal import Foundation
internal import HeartwoodRepository

/// The ids that a text on the command line can mean.
enum IDText {
    /// The likeliest first: what the text is as the tool prints ids, then the text itself.
    ///
    /// - Parameter areOrdered: Whether the ids of the repository are ordered keys; otherwise they are JSON.
    static func candidates(_ text: String, areOrdered: Bool) -> [TupleValue] {
        guard areOrdered else { return json(text).map { .bytes($0) } }
        var values: [TupleValue] = []
        var parser = TupleTextParser(text)
        if let value = parser.whole() {
            values.append(value)
            if let number = Double(text) { values += [.double(number), .float(Float(number))] }
        }
        values.append(.string(text))
        return values
    }

    /// As the library writes ids without an order: with sorted keys, and normalised.
    private static func json(_ text: String) -> [[UInt8]] {
        var forms: [[UInt8]] = []
        for candidate in [text, String(decoding: JSONText.quoted(text), as: UTF8.self)] {
            let data = Data(candidate.utf8)
            guard let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed),
                let sorted = try? JSONSerialization.data(
                    withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
            else { continue }
            let normalised = String(decoding: sorted, as: UTF8.self).precomposedStringWithCanonicalMapping
            forms += [Array(normalised.utf8), Array(candidate.utf8)]
        }
        return forms
    }
}

/// Reads the text of an element of a key: the reverse of `TupleValue.description`.
private struct TupleTextParser {
    private var rest: Substring
    private static let mostNesting = 100

    init(_ text: String) { rest = text[...] }

    /// The value, if the text is one and nothing else.
    mutating func whole() -> TupleValue? {
        guard let value = value(0), rest.isEmpty else { return nil }
        return value
    }

    private mutating func value(_ depth: Int) -> TupleValue? {
        guard depth < Self.mostNesting else { return nil }
        if take("(") { return tuple(depth) }
        if take("\"") { return string() }
        let word = rest.prefix { $0 != "," && $0 != ")" && $0 != " " }
        rest = rest[word.endIndex...]
        return Self.word(String(word))
    }

    private static func word(_ word: String) -> TupleValue? {
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        if word.hasPrefix("0x") { return Hexadecimal.decode(String(word.dropFirst(2))).map { .bytes($0) } }
        if let number = Int64(word) { return .int(number) }
        if let number = UInt64(word) { return .uint(number) }
        if let id = UUID(uuidString: word) { return .uuid(id) }
        return Double(word).map { .double($0) }
    }

    private mutating func tuple(_ depth: Int) -> TupleValue? {
        var values: [TupleValue] = []
        if take(")") { return .tuple([]) }
        repeat {
            while take(" ") {}
            guard let value = value(depth + 1) else { return nil }
            values.append(value)
        } while take(",")
        return take(")") ? .tuple(values) : nil
    }

    /// The rest of a string, with the escapes of `debugDescription`.
    private mutating func string() -> TupleValue? {
        var text = String.UnicodeScalarView()
        var scalars = rest.unicodeScalars
        defer { rest = Substring(scalars) }
        while let scalar = scalars.popFirst() {
            if scalar == "\"" { return .string(String(text)) }
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            switch scalars.popFirst() {
            case "n": text.append("\n")
            case "r": text.append("\r")
            case "t": text.append("\t")
            case "0": text.append("\0")
            case "u":
                guard scalars.popFirst() == "{", let end = scalars.firstIndex(of: "}"),
                    let number = UInt32(String(scalars[..<end]), radix: 16), let escaped = Unicode.Scalar(number)
                else { return nil }
                text.append(escaped)
                scalars = scalars[scalars.index(after: end)...]
            case let escaped?: text.append(escaped)
            case nil: return nil
            }
        }
        return nil
    }

    private mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }
}
