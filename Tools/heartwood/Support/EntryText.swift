internal import Heartwood

/// Entries as `get`, `scan` and `export` show them.
struct EntryText {
    let notation: ByteNotation
    /// How keys of repositories are shown in text; nil if as bytes.
    var storedKeys: StoredKeyText?

    init(notation: ByteNotation) { self.notation = notation }

    /// The same for a store with repositories, whose keys are shown in text as what they stand for.
    ///
    /// - Parameter isNeeded: Whether text is printed at all.
    init(_ notation: ByteNotation, of view: ReadView, isNeeded: Bool) async {
        self.notation = notation
        if isNeeded, case .text = notation { storedKeys = await StoredKeyText(view) }
    }

    /// Key and value, and the expiry if it is set: a line of the `pairs` format.
    func pair(_ entry: Entry) -> JSONText { json(entry, hasSequence: false) }

    /// All fields: the bytes, the sequence number, and the expiry if it is set.
    func json(_ entry: Entry) -> JSONText { json(entry, hasSequence: true) }

    private func json(_ entry: Entry, hasSequence: Bool) -> JSONText {
        var json = JSONText()
        notation.add("key", entry.key, to: &json)
        notation.add("value", entry.value, to: &json)
        if hasSequence { json.add("sequence", entry.sequence) }
        if let expires = entry.expires { json.add("expires", expires.milliseconds) }
        return json
    }

    /// Key, tab, value. Both are escaped, so they contain no tab and no line end.
    func append(_ entry: Entry, to text: inout [UInt8]) {
        if storedKeys?.append(entry.key, entry.value, to: &text) == true { return }
        notation.append(entry.key, to: &text)
        text.append(UInt8(ascii: "\t"))
        notation.append(entry.value, to: &text)
    }

    /// A key alone.
    func append(key: [UInt8], to text: inout [UInt8]) {
        if storedKeys?.append(key, nil, to: &text) == true { return }
        notation.append(key, to: &text)
    }
}
