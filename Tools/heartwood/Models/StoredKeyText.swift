internal import Heartwood
internal import HeartwoodRepository

/// The keys of repositories as text: what they stand for, instead of their bytes.
struct StoredKeyText {
    private let catalogue: Catalogue

    /// Reads the catalogue of a store; nil if it has no repositories, or they are of a newer version.
    init?(_ view: ReadView) async {
        guard let catalogue = try? await Catalogue.read(from: view), !catalogue.entries.isEmpty else { return nil }
        self.catalogue = catalogue
    }

    /// Appends a key, and a tab and the value if there is one. What an entry of an index has as its value, the id, is
    /// shown as a part of the key.
    ///
    /// - Returns: False if the key isn't one of a repository: nothing was appended.
    func append(_ key: [UInt8], _ value: [UInt8]?, to text: inout [UInt8]) -> Bool {
        guard let stored = StoredKey(key, in: catalogue) else { return false }
        let shown: [UInt8]
        switch stored {
        case .nextNumber:
            text += "catalogue, next number".utf8
            shown = value.map { Array(TupleValue.one(in: $0).description.utf8) } ?? []
        case .catalogue(let name):
            text += "catalogue, \(Escaping.line(name))".utf8
            shown = value.map { JSONLine.of($0) ?? Array(Escaping.text($0).utf8) } ?? []
        case .progress(let name):
            text += "catalogue, progress of \(Escaping.line(name))".utf8
            shown = value.map { JSONLine.of($0) ?? Array(Escaping.text($0).utf8) } ?? []
        case .imported(let name):
            text += "catalogue, import of \(Escaping.line(name))".utf8
            shown = value.map { JSONLine.of($0) ?? Array(Escaping.text($0).utf8) } ?? []
        case .record(let entry, let id):
            text += "\(Escaping.line(entry.name)), record \(RecordID(id, entry).text)".utf8
            shown = value.map { Self.payload($0, entry) } ?? []
        case .index(let entry, let index, let values, let id):
            let list = TupleValue.all(in: values).map { Escaping.line($0.description) }.joined(separator: ", ")
            text += "\(Escaping.line(entry.name)), index \(Escaping.line(index.name)) (\(list))".utf8
            if let id = id ?? value { text += ", record \(RecordID(id, entry).text)".utf8 }
            shown = []
        }
        if !shown.isEmpty {
            text.append(UInt8(ascii: "\t"))
            text += shown
        }
        return true
    }

    /// The model of a record; nil if the key isn't that of one.
    func payload(_ entry: Entry) -> Payload? {
        guard case .record(let repository, _) = StoredKey(entry.key, in: catalogue),
            let record = try? StoredRecords(repository).record(entry)
        else { return nil }
        return record.payload
    }

    private static func payload(_ value: [UInt8], _ entry: CatalogueEntry) -> [UInt8] {
        guard let (_, start) = try? RecordEnvelope.decode(value) else { return Array(Escaping.text(value).utf8) }
        return Payload(value[start...], of: entry.coder).line
    }
}
