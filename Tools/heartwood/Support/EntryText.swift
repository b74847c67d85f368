internal import Heartwood
internal import HeartwoodRepository

/// Keys and values as all commands show them.
struct EntryText {
    let notation: ByteNotation
    /// What the keys of repositories stand for; nil if digits are asked for.
    var names: StoredKeyText?

    init(_ notation: ByteNotation, _ names: @autoclosure () -> StoredKeyText) {
        self.notation = notation
        if case .text = notation { self.names = names() }
    }

    /// Writes an object with all fields: the bytes, what the key stands for, the sequence number, and the expiry if it
    /// is set. As a pair, for the `pairs` format, without the second and the third. A line end follows.
    func writeJSON(_ read: ReadEntry, asPair: Bool = false, to output: inout StandardOutput) throws {
        let (entry, value) = (read.entry, read.long == nil ? read.entry.value : nil)
        var json = JSONText()
        notation.add("key", entry.key, to: &json)
        if !asPair { names?.add(entry.key, value, to: &json) }
        if let long = read.long {
            try write(long, in: &json, to: &output)
        } else {
            add(entry.value, of: entry.key, to: &json)
        }
        if !asPair { json.add("sequence", entry.sequence) }
        if let expires = entry.expires { json.add("expires", expires.milliseconds) }
        try output.writeLine(json.bytes)
    }

    /// Writes what an object has, and then a long value.
    func write(_ long: LongValue, in json: inout JSONText, to output: inout StandardOutput) throws {
        let (suffix, form): (String, LongValue.Form) =
            switch notation {
            case .hexadecimal: ("Hex", .hexadecimal)
            case .text: long.isText ? ("", .json) : ("64", .base64)
            }
        try long.write("value" + suffix, form, in: &json, to: &output)
    }

    /// Writes a key, a tab and the value, without a line end.
    func write(_ read: ReadEntry, to output: inout StandardOutput) throws {
        try output.append { append(read.entry.key, read.long == nil ? read.entry.value : nil, to: &$0) }
        if let long = read.long { try write(long, to: &output) }
    }

    /// Writes a tab and a long value.
    func write(_ long: LongValue, to output: inout StandardOutput) throws {
        try output.write([UInt8(ascii: "\t")])
        switch notation {
        case .hexadecimal: try long.write(.hexadecimal, to: &output)
        case .text: try long.write(.escaped, to: &output)
        }
    }

    /// Adds a key, what it stands for, and its value if there is one.
    func add(_ key: [UInt8], _ value: [UInt8]?, to json: inout JSONText) {
        notation.add("key", key, to: &json)
        names?.add(key, value, to: &json)
        if let value { add(value, of: key, to: &json) }
    }

    /// Adds a value: as JSON if `load` gives the same bytes back from that, after the head of a record if it is one.
    func add(_ value: [UInt8], of key: [UInt8], to json: inout JSONText) {
        guard let names, let start = names.textStart(key, value), JSONLine.isVerbatim(value[start...])
        else { return notation.add("value", value, to: &json) }
        if start > 0 { json.add("head64", Base64.encode(Array(value[..<start]))) }
        json.add(json: "valueJSON", Array(value[start...]))
    }

    /// Key, tab, value; without a value the key alone. Both are escaped, so they contain no tab and no line end.
    ///
    /// - Parameter suffix: What follows the key.
    func append(_ key: [UInt8], _ value: [UInt8]?, suffix: String = "", to text: inout [UInt8]) {
        let parts = key.first == KeyLayout.root ? names?.parts(key, value) : nil
        if let parts { text += parts.key.utf8 } else { notation.append(key, to: &text) }
        text += suffix.utf8
        guard let value else { return }
        if let parts, parts.value == nil { return }
        text.append(UInt8(ascii: "\t"))
        if let shown = parts?.value { text += shown } else { notation.append(value, to: &text) }
    }
}
