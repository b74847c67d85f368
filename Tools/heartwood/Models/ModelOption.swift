internal import ArgumentParser
internal import Heartwood
internal import HeartwoodRepository

/// The option `--model`: a repository of the store, by its name.
struct ModelOption: ParsableArguments {
    @Option(help: ArgumentHelp("Only the records of this repository (see 'models').", valueName: "name"))
    var model: String?

    /// Refuses options that are for keys, which records are not read by.
    ///
    /// - Throws: `ValidationError`.
    func check(_ keys: KeyOption, _ bounds: RangeOptions? = nil) throws {
        try check(keys, isRange: bounds?.isGiven == true)
    }

    /// - Throws: `ValidationError`.
    func check(_ keys: KeyOption, isRange: Bool) throws {
        guard model != nil else { return }
        if keys.isBase64 || keys.isHexadecimal || isRange {
            throw ValidationError(
                "'--model' reads records by id: leave out '--key64', '--hex', '--prefix', '--from' and '--to'")
        }
    }

    /// The repository in a store, if the option is given.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/notFound`` if there is none; what reading throws.
    func records(in view: ReadView, of store: StoreArgument) async throws -> StoredRecords? {
        guard let model else { return nil }
        let catalogue = try await Catalogue.read(from: view)
        if let entry = catalogue.entry(named: model) { return StoredRecords(entry) }
        if let problem = catalogue.problems.first(where: { $0.name == model }) { throw problem.error }
        throw missing(in: store.path)
    }

    /// The error if there is no such repository.
    func missing(in path: String) -> Failure {
        Failure(
            .notFound, "no repository '\(model ?? "")' in \(path): see their names with 'heartwood models \(path)'")
    }
}

/// The keys, or the records, that a command reads.
struct SelectionOptions: ParsableArguments {
    @OptionGroup var bounds: RangeOptions
    @OptionGroup var keys: KeyOption
    @OptionGroup var repository: ModelOption

    func validate() throws {
        try repository.check(keys, bounds)
        _ = try bounds.range(keys)
    }

    /// The repository if one is selected, and the range of keys to read.
    ///
    /// - Throws: As ``ModelOption/records(in:of:)``.
    func records(
        in view: ReadView, of store: StoreArgument
    ) async throws -> (records: StoredRecords?, range: KeyRange) {
        let records = try await repository.records(in: view, of: store)
        return (records, try records?.range ?? bounds.range(keys))
    }
}

/// The records of a repository, as entries of its store.
struct StoredRecords {
    let catalogued: CatalogueEntry

    init(_ catalogued: CatalogueEntry) { self.catalogued = catalogued }

    /// The keys of all records.
    var range: KeyRange { catalogued.layout.records }

    /// The record of an entry.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/corruption`` if it is none.
    func record(_ read: ReadEntry) throws(Failure) -> StoredRecord {
        let entry = read.entry
        let id = RecordID(catalogued.layout.id(ofRecord: entry.key), catalogued)
        do {
            let (envelope, start) = try RecordEnvelope.decode(read.long?.head ?? entry.value)
            return StoredRecord(
                id: id, version: envelope.version,
                payload: read.long == nil ? Payload(entry.value[start...], of: catalogued.coder) : .bytes([]),
                long: read.long?.dropping(start), sequence: entry.sequence, expires: entry.expires)
        } catch {
            throw Failure(
                .corruption,
                "the record \(id.text) of '\(catalogued.name)' is not readable (\(error.message)): see "
                    + "'heartwood verify'")
        }
    }

    /// Writes the encoded model of an entry, as it is stored.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/corruption`` if it is no record; what writing throws.
    func writePayload(of read: ReadEntry, to output: inout StandardOutput) throws {
        if let long = try record(read).long { return try long.write(.bytes, to: &output) }
        let (_, start) = try RecordEnvelope.decode(read.entry.value)
        try output.write(Array(read.entry.value[start...]))
    }

    /// The keys of the entries that a record lists and indexes have.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/corruption`` if it is no record; `StoreError`.
    func entries(of read: ReadEntry, in view: ReadView) throws -> [[UInt8]] {
        _ = try record(read)
        let (envelope, _) = try RecordEnvelope.decode(read.long?.head ?? read.entry.value)
        let entries = envelope.entries(catalogued.layout, id: catalogued.layout.id(ofRecord: read.entry.key))
        return try entries.filter { try view.get($0.key) == $0.value }.map(\.key)
    }

    /// The keys that the text of an id can mean, the likeliest first.
    func keys(_ text: String) -> [[UInt8]] {
        IDText.candidates(text, areOrdered: catalogued.hasOrderedIDs).map { id in
            var encoder = TupleEncoder(prefix: catalogued.layout.recordPrefix)
            encoder.append(id)
            return encoder.bytes
        }
    }

    /// The entry of the first record that the text of an id can mean; nil if there is none.
    func entry(_ text: String, in view: ReadView) throws -> ReadEntry? {
        for key in keys(text) {
            if let entry = try view.readEntry(key) { return entry }
        }
        return nil
    }

    /// Says once how values are shown that can't be shown as JSON.
    func explainCoder() {
        guard !Payload.isKnown(catalogued.coder) else { return }
        StandardError.say(
            "the records of '\(catalogued.name)' are written by the coder '\(catalogued.coder)', which this tool "
                + "doesn't have: their values are base64")
    }
}

/// A record, as the tool shows it.
struct StoredRecord {
    var id: RecordID
    var version: Int
    var payload: Payload
    /// What `payload` would be, if that is long. It is shown in base64: to show JSON in a line, all of it must be held.
    var long: LongValue?
    var sequence: SequenceNumber
    var expires: Timestamp?

    /// Writes an object with all of it, and a line end.
    func writeJSON(hasSequence: Bool = true, to output: inout StandardOutput) throws {
        var json = JSONText()
        json.add(json: "id", id.json)
        if let long {
            try long.write("value64", .base64, in: &json, to: &output)
        } else {
            payload.add("value", to: &json)
        }
        json.add("version", version)
        if hasSequence { json.add("sequence", sequence) }
        if let expires { json.add("expires", expires.milliseconds) }
        try output.writeLine(json.bytes)
    }

    /// Writes the id, a tab and the value, without a line end.
    func write(to output: inout StandardOutput) throws {
        try output.append { text in
            text += id.text.utf8
            text.append(UInt8(ascii: "\t"))
            if long == nil { text += payload.line }
        }
        try long?.write(.base64, to: &output)
    }
}

/// The id of a record.
struct RecordID {
    private let value: TupleValue
    /// Whether the bytes are the JSON of the id.
    private let isJSON: Bool

    init(_ encoded: [UInt8], _ catalogued: CatalogueEntry) {
        self.init(TupleValue.one(in: encoded), isJSON: !catalogued.hasOrderedIDs)
    }

    init(_ value: TupleValue, isJSON: Bool) { (self.value, self.isJSON) = (value, isJSON) }

    /// The JSON of an id without an order.
    private var ownJSON: [UInt8]? {
        guard isJSON, case .bytes(let bytes) = value else { return nil }
        return JSONLine.of(bytes)
    }

    /// One piece of a line.
    var text: String { ownJSON.map { String(decoding: $0, as: UTF8.self) } ?? Escaping.line(value.description) }

    /// A JSON value.
    var json: [UInt8] { ownJSON ?? JSONLine.of(value) }
}
