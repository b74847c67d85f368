internal import Heartwood

/// The `pairs` format: one JSON object a line, with `key` and `value`, or `key64` and `value64` in base64 if the bytes
/// are not UTF-8, or `keyHex` and `valueHex` in hexadecimal; and `expires`, in milliseconds since 1970, if it is set.
/// `valueJSON` is a value that is JSON, byte for byte; `head64` are the bytes before it. `EntryText` writes it.
///
/// Other fields are refused, so that a misspelt `expires` doesn't get lost silently. The exceptions are those that
/// `scan --json` adds: a store assigns its own numbers, and the bytes of a key say what it stands for.
enum PairsLine {
    /// The record that a line describes.
    static func record(_ line: Line) throws(JSONProblem) -> Record {
        var key: [UInt8]?
        var value: [UInt8]?
        var (head, hasJSON) = ([UInt8](), false)
        var expires: Timestamp?
        var seen: Set<[UInt8]> = []
        var cursor = JSONCursor(line.bytes)
        try cursor.object { (name, cursor) throws(JSONProblem) in
            let start = cursor
            let text = String(decoding: name, as: UTF8.self)
            // "key", "key64" and "keyHex" are the same field, so a line may have only one of them.
            let suffix = ["64", "Hex", "JSON"].first(where: text.hasSuffix) ?? ""
            let subject = Array(name.dropLast(suffix.utf8.count))
            guard seen.insert(subject).inserted else { throw start.problem("'\(text)' repeats a field") }
            switch text {
            case "key", "value":
                let bytes = try string(&cursor, text)
                if text == "key" { key = bytes } else { value = bytes }
            case "valueJSON":
                value = try cursor.verbatim()
                hasJSON = true
            case "key64", "value64", "head64":
                let encoded = try string(&cursor, text)
                guard let bytes = Base64.decode(String(decoding: encoded, as: UTF8.self)) else {
                    throw start.problem("'\(text)' is not base64")
                }
                if text == "key64" { key = bytes } else if text == "head64" { head = bytes } else { value = bytes }
            case "keyHex", "valueHex":
                let encoded = try string(&cursor, text)
                guard let bytes = Hexadecimal.decode(String(decoding: encoded, as: UTF8.self)) else {
                    throw start.problem("'\(text)' is not hexadecimal")
                }
                if text == "keyHex" { key = bytes } else { value = bytes }
            case "expires": expires = try timestamp(&cursor)
            case "sequence", "catalogue", "repository", "index", "values", "id": try cursor.skipValue()
            default: throw start.problem("unknown field '\(Escaping.text(name))'")
            }
        }
        try cursor.end()
        guard let key else { throw JSONProblem(message: "no field 'key', 'key64' or 'keyHex'", column: nil) }
        guard let value else {
            throw JSONProblem(message: "no field 'value', 'value64', 'valueHex' or 'valueJSON'", column: nil)
        }
        guard head.isEmpty || hasJSON else {
            throw JSONProblem(message: "'head64' is for 'valueJSON', which isn't there", column: nil)
        }
        return Record(key: key, value: head.isEmpty ? value : head + value, expires: expires, line: line.number)
    }

    private static func string(_ cursor: inout JSONCursor, _ name: String) throws(JSONProblem) -> [UInt8] {
        guard try cursor.kind() == .string else { throw cursor.problem("'\(name)' is not a string") }
        return try cursor.string()
    }

    private static func timestamp(_ cursor: inout JSONCursor) throws(JSONProblem) -> Timestamp {
        let start = cursor
        if try cursor.kind() == .number, let number = UInt64(String(decoding: try cursor.number(), as: UTF8.self)) {
            return Timestamp(milliseconds: number)
        }
        throw start.problem("'expires' is not a number of milliseconds since 1970")
    }
}
