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

/// The records of a repository, as entries of its store.
struct StoredRecords {
    let catalogued: CatalogueEntry

    init(_ catalogued: CatalogueEntry) { self.catalogued = catalogued }

    /// The keys of all records.
    var range: KeyRange { catalogued.layout.records }

    /// The record of an entry.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/corruption`` if it is none.
    func record(_ entry: Entry) throws(Failure) -> StoredRecord {
        let id = RecordID(catalogued.layout.id(ofRecord: entry.key), catalogued)
        do {
            let (envelope, start) = try RecordEnvelope.decode(entry.value)
            return StoredRecord(
                id: id, version: envelope.version, payload: Payload(entry.value[start...], of: catalogued.coder),
                sequence: entry.sequence, expires: entry.expires)
        } catch {
            throw Failure(
                .corruption,
                "the record \(id.text) of '\(catalogued.name)' is not readable (\(error.message)): see "
                    + "'heartwood verify'")
        }
    }

    /// The encoded model of an entry, as it is stored.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/corruption`` if it is no record.
    func payload(of entry: Entry) throws(Failure) -> [UInt8] {
        _ = try record(entry)
        guard let (_, start) = try? RecordEnvelope.decode(entry.value) else { return [] }
        return Array(entry.value[start...])
    }

    /// The keys of the entries that a record lists and indexes have.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/corruption`` if it is no record; `StoreError`.
    func entries(of record: Entry, in view: ReadView) throws -> [[UInt8]] {
        _ = try self.record(record)
        let (envelope, _) = try RecordEnvelope.decode(record.value)
        let entries = envelope.entries(catalogued.layout, id: catalogued.layout.id(ofRecord: record.key))
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
    func entry(_ text: String, in view: ReadView) throws(StoreError) -> Entry? {
        for key in keys(text) {
            if let entry = try view.entry(key) { return entry }
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
    var sequence: SequenceNumber
    var expires: Timestamp?

    /// An object with all of it.
    func json(hasSequence: Bool = true) -> JSONText {
        var json = JSONText()
        json.add(json: "id", id.json)
        payload.add("value", to: &json)
        json.add("version", version)
        if hasSequence { json.add("sequence", sequence) }
        if let expires { json.add("expires", expires.milliseconds) }
        return json
    }

    /// Id, tab, value.
    func append(to text: inout [UInt8]) {
        text += id.text.utf8
        text.append(UInt8(ascii: "\t"))
        text += payload.line
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
