internal import Heartwood
internal import HeartwoodFormat

/// A line of `watch`: a change, or an entry that exists already.
struct ChangeLine {
    /// Without its value if that is long.
    private let action: Change.Action
    private let long: LongValue?
    private let key: [UInt8]
    private let sequence: SequenceNumber
    /// From where to follow once the line is applied; nil if there is no such position.
    private let position: ChangePosition?
    private let isLast: Bool

    init(_ change: Change) throws {
        (key, sequence, position, isLast) = (change.key, change.sequence, change.position, change.isLastOfBatch)
        if case .put(let value, let expires) = change.action, value.count > LongValue.heldBytes {
            long = try LongValue(StoredValue(value, isCompressed: false))
            action = .put(value: [], expires: expires)
        } else {
            (action, long) = (change.action, nil)
        }
    }

    /// - Parameter position: The position of the read view for its last entry; nil for the others.
    init(_ read: ReadEntry, _ position: ChangePosition?) {
        let entry = read.entry
        (action, long) = (.put(value: entry.value, expires: entry.expires), read.long)
        (key, sequence, self.position, isLast) = (entry.key, entry.sequence, position, position != nil)
    }

    /// Learns what later keys stand for, if this is a change of the catalogue.
    func note(in form: inout EntryText) {
        if case .put(let value, _) = action { form.names?.note(key, value, sequence) }
    }

    /// Writes the change, a tab, the key, a tab, the value: escaped, so that they contain no tab and no line end.
    func writeText(_ form: EntryText, to output: inout StandardOutput) throws {
        try output.append { text in
            switch action {
            case .put(let value, _):
                text += "put\t".utf8
                form.append(key, long == nil ? value : nil, to: &text)
            case .remove:
                text += "remove\t".utf8
                form.append(key, nil, to: &text)
            case .lost(let first):
                text += "lost\t\(first)\t\(sequence)".utf8
            }
        }
        if let long { try form.write(long, to: &output) }
        try output.writeLine("")
    }

    /// Writes an object in a line.
    func writeJSON(_ form: EntryText, to output: inout StandardOutput) throws {
        var json = JSONText()
        switch action {
        case .put(let value, _):
            json.add("change", "put")
            form.add(key, long == nil ? value : nil, to: &json)
            if let long { try form.write(long, in: &json, to: &output) }
        case .remove:
            json.add("change", "remove")
            form.add(key, nil, to: &json)
        case .lost(let first):
            json.add("change", "lost")
            json.add("from", first)
        }
        json.add("sequence", sequence)
        json.add("position", position.map { String($0) })
        json.add("last", isLast)
        if case .put(_, let expires?) = action { json.add("expires", expires.milliseconds) }
        try output.writeLine(json.bytes)
    }
}
