/// What a key of the typed layer stands for, without the types of its model.
package enum StoredKey: Sendable {
    /// The entry of a repository in the catalogue.
    case catalogue(name: String)
    /// How far maintenance of a repository has come.
    case progress(name: String)
    /// From which file the records of a repository were imported.
    case imported(name: String)
    /// The number that the next new repository gets.
    case nextNumber
    /// A record, by its encoded id.
    case record(CatalogueEntry, id: [UInt8])
    /// An entry of an index: the encoded values; and the encoded id of the record, unless that is the entry's value.
    case index(CatalogueEntry, StoredIndex, values: [UInt8], id: [UInt8]?)

    /// Nil if the key isn't one of the typed layer, or belongs to nothing in the catalogue. O(bytes).
    package init?(_ key: [UInt8], in catalogue: Catalogue) {
        guard key.first == KeyLayout.root else { return nil }
        switch CatalogueKey(key) {
        case .nextNumber: self = .nextNumber
        case .entry(let name): self = .catalogue(name: name)
        case .progress(let name): self = .progress(name: name)
        case .imported(let name): self = .imported(name: name)
        case nil:
            var decoder = TupleDecoder(key.dropFirst())
            guard let number = try? Int(from: &decoder), let entry = catalogue.entry(numbered: number),
                let index = try? Int(from: &decoder)
            else { return nil }
            if index == 0 {
                let id = entry.layout.id(ofRecord: key)
                guard Self.isElement(id) else { return nil }
                self = .record(entry, id: id)
                return
            }
            guard let stored = entry.indexes.first(where: { $0.number == index }),
                let (values, id) = Self.parts(Array(key.dropFirst(entry.layout.entriesPrefix(index).count)), of: stored)
            else { return nil }
            self = .index(entry, stored, values: values, id: id)
        }
    }

    /// The indexed values, and after them the id, if the key has one.
    static func parts(_ bytes: [UInt8], of index: StoredIndex) -> (values: [UInt8], id: [UInt8]?)? {
        var decoder = TupleDecoder(bytes)
        var values = 0
        for _ in index.components {
            guard let element = try? decoder.skip() else { return nil }
            values += element.count
        }
        if decoder.isAtEnd { return index.isUnique ? (bytes, nil) : nil }
        guard (try? decoder.skip()) != nil, decoder.isAtEnd else { return nil }
        return (Array(bytes.prefix(values)), Array(bytes.dropFirst(values)))
    }

    /// Whether these bytes are exactly one element.
    static func isElement(_ bytes: [UInt8]) -> Bool {
        var decoder = TupleDecoder(bytes)
        return (try? TupleValue(from: &decoder)) != nil && decoder.isAtEnd
    }
}
