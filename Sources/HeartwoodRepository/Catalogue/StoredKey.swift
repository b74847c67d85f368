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

    /// Nil if the key isn't one of the typed layer, or belongs to none of these repositories. O(bytes).
    ///
    /// - Parameter repositories: By their numbers.
    package init?(_ key: [UInt8], in repositories: [Int: CatalogueEntry]) {
        guard key.first == KeyLayout.root else { return nil }
        switch CatalogueKey(key) {
        case .nextNumber: self = .nextNumber
        case .entry(let name): self = .catalogue(name: name)
        case .progress(let name): self = .progress(name: name)
        case .imported(let name): self = .imported(name: name)
        case nil:
            var decoder = TupleDecoder(key.dropFirst())
            guard let number = try? Int(from: &decoder), let entry = repositories[number],
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

/// Which part of the typed layer a key belongs to: all keys of one part begin with the same bytes.
package enum StoredKeyGroup: Sendable, Hashable {
    case catalogue
    /// The records of the repository with a number.
    case records(repository: Int)
    /// The entries of an index, by both numbers.
    case entries(repository: Int, index: Int)

    /// How many bytes at the start of a key say it; nil if the key isn't one of the typed layer. O(1).
    package static func prefixLength(of key: UnsafeRawBufferPointer) -> Int? {
        guard key.count > 1, key[0] == KeyLayout.root else { return nil }
        if key[1] == TupleCode.zero { return 2 }
        guard let first = integerLength(of: key, at: 1), let second = integerLength(of: key, at: 1 + first) else {
            return nil
        }
        return 1 + first + second
    }

    /// Of 0, or of a number above it.
    private static func integerLength(of key: UnsafeRawBufferPointer, at position: Int) -> Int? {
        guard position < key.count, key[position] >= TupleCode.zero else { return nil }
        let length = 1 + Int(key[position] - TupleCode.zero)
        return length <= 5 && position + length <= key.count ? length : nil
    }

    /// - Parameter prefix: As many bytes of a key as ``prefixLength(of:)`` says.
    package init?(prefix: [UInt8]) {
        guard prefix.first == KeyLayout.root else { return nil }
        var decoder = TupleDecoder(prefix.dropFirst())
        guard let repository = try? Int(from: &decoder) else { return nil }
        if repository == 0 {
            self = .catalogue
        } else {
            guard let index = try? Int(from: &decoder) else { return nil }
            self = index == 0 ? .records(repository: repository) : .entries(repository: repository, index: index)
        }
    }
}
