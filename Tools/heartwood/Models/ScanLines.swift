internal import Heartwood
internal import HeartwoodRepository

/// The lines of `scan` and `export`: one an entry, or one a record of a repository.
struct ScanLines {
    let form: EntryText
    /// The repository of which the records are printed; nil for the entries of the store.
    let records: StoredRecords?
    let isJSON: Bool
    /// Whether a line of text ends with the time at which the entry expires.
    var hasExpiry = false
    /// Whether the lines are those of `export`, without what a store assigns.
    var isExport = false
    /// The last record that isn't readable. Those before it were named on standard error.
    private(set) var unreadable: Failure?

    init(form: EntryText, records: StoredRecords?, isJSON: Bool) {
        (self.form, self.records, self.isJSON) = (form, records, isJSON)
    }

    /// Prints an entry. A record that isn't readable is left out, and the result is false.
    @discardableResult
    mutating func print(_ read: ReadEntry, to output: inout StandardOutput) throws -> Bool {
        var record: StoredRecord?
        do throws(Failure) {
            record = try records?.record(read)
        } catch {
            if let unreadable { ErrorReport(unreadable).print() }
            unreadable = error
            return false
        }
        switch (record, isJSON) {
        case (let record?, true): try record.writeJSON(hasSequence: !isExport, to: &output)
        case (let record?, false): try record.write(to: &output)
        case (nil, true): try form.writeJSON(read, asPair: isExport, to: &output)
        case (nil, false): try form.write(read, to: &output)
        }
        if !isJSON { try output.append { endLine(read.entry.expires, &$0) } }
        return true
    }

    /// Prints a key alone.
    func print(_ key: [UInt8], expires: Timestamp?, to output: inout StandardOutput) throws {
        let id = records.map { RecordID($0.catalogued.layout.id(ofRecord: key), $0.catalogued) }
        try output.append { text in
            if isJSON {
                var object = JSONText()
                if let id { object.add(json: "id", id.json) } else { form.add(key, nil, to: &object) }
                if let expires { object.add("expires", expires.milliseconds) }
                text += object.bytes
            } else if let id {
                text += id.text.utf8
            } else {
                form.append(key, nil, to: &text)
            }
            endLine(expires, &text)
        }
    }

    private func endLine(_ expires: Timestamp?, _ text: inout [UInt8]) {
        if hasExpiry, let expires, !isJSON { text += "\t\(Numbers.moment(expires.milliseconds))".utf8 }
        text.append(UInt8(ascii: "\n"))
    }
}
