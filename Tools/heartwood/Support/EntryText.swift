internal import Heartwood

/// An entry as `get` and `scan` show it.
enum EntryText {
    /// All of it: the bytes as text or in base64, the sequence number, and when it expires.
    static func json(_ entry: Entry) -> JSONText {
        var json = JSONText()
        json.add("key", entry.key)
        json.add("value", entry.value)
        json.add("sequence", entry.sequence)
        if let expires = entry.expires { json.add("expires", expires.milliseconds) }
        return json
    }

    /// Key, tab, value, line end; both escaped, so that the tab and the line end can't be mistaken.
    static func appendLine(_ entry: Entry, to text: inout [UInt8]) {
        Escaping.append(entry.key, to: &text)
        text.append(UInt8(ascii: "\t"))
        Escaping.append(entry.value, to: &text)
        text.append(UInt8(ascii: "\n"))
    }
}
