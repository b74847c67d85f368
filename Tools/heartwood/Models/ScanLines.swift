internal import Heartwood
internal import HeartwoodRepository

/// The lines of `scan`: one an entry, or one a record of a repository.
struct ScanLines {
    let form: EntryText
    /// The repository of which the records are printed; nil for the entries of the store.
    let records: StoredRecords?
    let isJSON: Bool
    /// Whether a line of text ends with the time at which the entry expires.
    var hasExpiry = false
    /// The last record that isn't readable. Those before it were named on standard error.
    private(set) var unreadable: Failure?

    init(form: EntryText, records: StoredRecords?, isJSON: Bool) {
        (self.form, self.records, self.isJSON) = (form, records, isJSON)
    }

    /// Prints an entry. A record that isn't readable is left out.
    mutating func print(_ entry: Entry, to output: inout StandardOutput) throws {
        var record: StoredRecord?
        do throws(Failure) {
            record = try records?.record(entry)
        } catch {
            if let unreadable { ErrorReport(unreadable).print() }
            unreadable = error
            return
        }
        try output.append { text in
            switch (record, isJSON) {
            case (let record?, true): text += record.json().bytes
            case (let record?, false): record.append(to: &text)
            case (nil, true): text += form.json(entry).bytes
            case (nil, false): form.append(entry.key, entry.value, to: &text)
            }
            endLine(entry.expires, &text)
        }
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
