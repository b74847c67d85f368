internal import Heartwood

/// An entry as `get` and `scan` show it.
enum EntryText {
    /// All fields: the bytes as text or in base64, the sequence number, and the expiry.
    static func json(_ entry: Entry) -> JSONText {
        var json = JSONText()
        json.add("key", entry.key)
        json.add("value", entry.value)
        json.add("sequence", entry.sequence)
        if let expires = entry.expires { json.add("expires", expires.milliseconds) }
        return json
    }

    /// Key, tab, value, line end. Both are escaped, so they contain no tab and no line end.
    static func appendLine(_ entry: Entry, to text: inout [UInt8]) {
        Escaping.append(entry.key, to: &text)
        text.append(UInt8(ascii: "\t"))
        Escaping.append(entry.value, to: &text)
        text.append(UInt8(ascii: "\n"))
    }
}
