internal import Heartwood

/// A line of `watch`: a change, or an entry that exists already.
struct ChangeLine {
    private let action: Change.Action
    private let key: [UInt8]
    private let sequence: SequenceNumber
    /// From where to follow once the line is applied; nil if there is no such position.
    private let position: ChangePosition?
    private let isLast: Bool

    init(_ change: Change) {
        (action, key, sequence) = (change.action, change.key, change.sequence)
        (position, isLast) = (change.position, change.isLastOfBatch)
    }

    /// - Parameter position: The position of the read view for its last entry; nil for the others.
    init(_ entry: Entry, _ position: ChangePosition?) {
        (action, key) = (.put(value: entry.value, expires: entry.expires), entry.key)
        (sequence, self.position, isLast) = (entry.sequence, position, position != nil)
    }

    /// Learns what later keys stand for, if this is a change of the catalogue.
    func note(in form: inout EntryText) {
        if case .put(let value, _) = action { form.names?.note(key, value, sequence) }
    }

    /// The change, a tab, the key, a tab, the value: escaped, so that they contain no tab and no line end.
    func text(_ form: EntryText) -> [UInt8] {
        var text: [UInt8] = []
        switch action {
        case .put(let value, _):
            text += "put\t".utf8
            form.append(key, value, to: &text)
        case .remove:
            text += "remove\t".utf8
            form.append(key, nil, to: &text)
        case .lost(let first):
            text += "lost\t\(first)\t\(sequence)".utf8
        }
        return text
    }

    func json(_ form: EntryText) -> JSONText {
        var json = JSONText()
        switch action {
        case .put(let value, _):
            json.add("change", "put")
            form.add(key, value, to: &json)
        case .remove:
            json.add("change", "remove")
            form.add(key, nil, to: &json)
        case .lost(let first):
            json.add("change", "lost")
            json.add("from", first)
        }
        json.add("sequence", sequence)
        if let position { json.add("position", String(position)) } else { json.addNull("position") }
        json.add("last", isLast)
        if case .put(_, let expires?) = action { json.add("expires", expires.milliseconds) }
        return json
    }
}
