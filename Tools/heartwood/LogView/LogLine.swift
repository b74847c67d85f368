internal import Heartwood
internal import HeartwoodFormat
internal import HeartwoodInspection
internal import HeartwoodRepository

/// The lines of `heartwood log`.
struct LogLine {
    private(set) var form: EntryText
    let style: Style
    /// A file that is shown alone: what its keys stand for may be said in files before it.
    private var lonePath: String?
    /// Printed before the first line of a file; not printed for a file without lines.
    private var heading: String?

    init(_ notation: ByteNotation, style: Style, lonePath: String?) {
        form = EntryText(notation, StoredKeyText())
        self.style = style
        self.lonePath = lonePath
    }

    /// Writes an item, or nothing if it only says what keys stand for.
    mutating func write(_ item: LogItem, asJSON: Bool, to output: inout StandardOutput) throws {
        var long: LongValue?
        // What can't be decompressed is shown without a value.
        if case .record(let record) = item, let stored = record.longValue { long = try? LongValue(stored) }
        if asJSON {
            guard var object = json(item) else { return }
            if let long { try form.write(long, in: &object, to: &output) }
            try output.writeLine(object.bytes)
        } else if let long {
            try output.append { append(item, to: &$0, endingLine: false) }
            try form.write(long, to: &output)
            try output.writeLine("")
        } else {
            try output.append { append(item, to: &$0) }
        }
    }

    /// `    4144  number 1      put         17  2026-03-01 12:00:00.000  greeting`
    private mutating func append(_ item: LogItem, to text: inout [UInt8], endingLine: Bool = true) {
        if case .file(let path, let header) = item {
            var kind = header.kind == .log ? "log from number \(header.firstSequence) on" : "snapshot"
            if header.kind == .log, header.firstSequence % FormatConstants.sequenceEpoch == 0 {
                kind += ", a multiple of 2^32: numbers jump after a crash, a compaction or a repair"
            }
            heading = style("# \(Escaping.text(Array(path.utf8))): \(kind)", .dim) + "\n"
            return
        }
        if learn(item) { return }
        text += (heading ?? "").utf8
        heading = nil
        switch item {
        case .file, .noted: break
        case .skipped(let finding): text += finding.line(style, form.names ?? StoredKeyText()).utf8
        case .record(let record): append(record, to: &text)
        }
        if endingLine { text.append(UInt8(ascii: "\n")) }
    }

    /// Takes what later keys stand for, if the item says only this.
    private mutating func learn(_ item: LogItem) -> Bool {
        switch item {
        case .noted(let record):
            form.names?.note(record.key, record.value, record.sequence)
            return true
        case .record(let record):
            guard let path = lonePath, record.key.first == KeyLayout.root, form.names?.parts(record.key, nil) == nil
            else { return false }
            lonePath = nil
            form.names?.read(filesAt: path)
        case .file, .skipped: break
        }
        return false
    }

    private func append(_ record: LoggedRecord, to text: inout [UInt8]) {
        var number = "\(record.sequence)"
        if record.batchCount > 1 { number += ".\(record.batchIndex + 1)/\(record.batchCount)" }
        text += Self.padded("\(record.offset)", 10, left: true).utf8
        text += "  \(Self.padded(number, 12))  \(Self.padded(record.kind.word, 6))".utf8
        text += "  \(Self.padded("\(record.storedValueBytes)\(record.isCompressed ? "z" : "")", 9, left: true))".utf8
        text += "  \(record.time.map(Self.moment) ?? "")".utf8
        text += "  ".utf8
        var suffix = record.expires.map { style("  until \(Self.moment($0))", .dim) } ?? ""
        if record.state != .whole { suffix += style("  [\(record.state.rawValue)]", .yellow) }
        form.append(record.key, record.kind == .delete ? nil : record.value, suffix: suffix, to: &text)
    }

    /// With milliseconds, because commits follow each other quickly.
    private static func moment(_ milliseconds: UInt64) -> String {
        let rest = String(milliseconds % 1000)
        let second = Numbers.moment(milliseconds).dropLast(4)
        return "\(second).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    private static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? blanks + text : text + blanks
    }

    // MARK: - JSON

    /// nil for the start of a file: in JSON each record names its file.
    private mutating func json(_ item: LogItem) -> JSONText? {
        if learn(item) { return nil }
        switch item {
        case .file, .noted: return nil
        case .skipped(let finding):
            return ["skipped": finding.json(form.names ?? StoredKeyText())]
        case .record(let record): return json(record)
        }
    }

    private func json(_ record: LoggedRecord) -> JSONText {
        var json: JSONText = [
            "file": record.file, "offset": record.offset, "sequence": record.sequence,
            "batchIndex": record.batchIndex, "batchCount": record.batchCount, "kind": record.kind.word,
        ]
        form.add(record.key, nil, to: &json)
        json.add("storedValueBytes", record.storedValueBytes)
        json.add("compressed", record.isCompressed)
        json.add("bytes", record.bytes)
        if let time = record.time { json.add("time", time) }
        if let expires = record.expires { json.add("expires", expires) }
        json.add("state", record.state.rawValue)
        if let value = record.value, record.kind != .delete { form.add(value, of: record.key, to: &json) }
        return json
    }
}

extension RecordKind {
    fileprivate var word: String {
        switch self {
        case .put, .putExpiring: "put"
        case .delete: "delete"
        case .lostBatch: "lost"
        case .optional: "other"
        }
    }
}
