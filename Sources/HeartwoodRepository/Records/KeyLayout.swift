/// Where a repository keeps its records and index entries. `Documentation/RecordLayout.md` describes it.
package struct KeyLayout: Sendable, Hashable {
    /// The first byte of every key of the typed layer. Keys of other uses of the same store must not begin with it.
    package static let root: UInt8 = 0xFE
    /// The catalogue: one entry for each repository, by name.
    package static let catalogue = prefix(0)
    /// The number that the next new repository gets.
    package static let nextNumber = bytes {
        $0.append(0); $0.appendNil()
    }

    /// The number of the repository.
    package let number: Int
    /// Before the id of each record.
    package let recordPrefix: [UInt8]

    package init(number: Int) {
        self.number = number
        recordPrefix = Self.prefix(number, 0)
    }

    /// Everything of the repository except its entry in the catalogue.
    package var range: KeyRange { .prefix(Self.prefix(number)) }
    /// All records.
    package var records: KeyRange { .prefix(recordPrefix) }

    /// The key of the record with this encoded id.
    package func recordKey(_ id: [UInt8]) -> [UInt8] { recordPrefix + id }

    /// The encoded id of a record.
    package func id(ofRecord key: [UInt8]) -> [UInt8] { Array(key.dropFirst(recordPrefix.count)) }

    /// Before the values of each entry of an index.
    package func entriesPrefix(_ index: Int) -> [UInt8] { Self.prefix(number, index) }

    /// The entry of a repository in the catalogue.
    package static func catalogueKey(_ name: String) -> [UInt8] {
        bytes {
            $0.append(0); $0.append(name)
        }
    }

    /// How far maintenance of a repository has come.
    package static func progressKey(_ name: String) -> [UInt8] {
        bytes {
            $0.append(0); $0.append(name); $0.append("progress")
        }
    }

    /// From which file the records of a repository were imported, and whether that is complete.
    package static func importKey(_ name: String) -> [UInt8] {
        bytes {
            $0.append(0); $0.append(name); $0.append("import")
        }
    }

    private static func prefix(_ number: Int, _ part: Int? = nil) -> [UInt8] {
        bytes { encoder in
            encoder.append(Int64(number))
            if let part { encoder.append(Int64(part)) }
        }
    }

    private static func bytes(_ body: (inout TupleEncoder) -> Void) -> [UInt8] {
        var encoder = TupleEncoder(prefix: [root])
        body(&encoder)
        return encoder.bytes
    }
}

extension KeyRange {
    /// Everything that repositories write.
    static let typedLayer = KeyRange.prefix([KeyLayout.root])
}

/// One entry of an index, of one record.
package struct IndexEntry: Sendable, Hashable {
    package var key: [UInt8]
    package var value: [UInt8]
    /// The index that it belongs to.
    package var index: Int
    /// Whether no other record may have the same key.
    package var isExclusive: Bool
    /// The indexed values.
    package var values: [UInt8]

    /// - Parameters:
    ///   - values: The encoded values.
    ///   - id: The encoded id of the record.
    package init(_ layout: KeyLayout, index: Int, isUnique: Bool, values: [UInt8], id: [UInt8]) {
        self.index = index
        self.values = values
        isExclusive = isUnique && !Self.hasNull(values)
        key = layout.entriesPrefix(index)
        key.reserveCapacity(key.count + values.count + (isExclusive ? 0 : id.count))
        key.append(contentsOf: values)
        if !isExclusive { key.append(contentsOf: id) }
        value = isExclusive ? id : []
    }

    /// Whether one of the values is nil.
    private static func hasNull(_ values: [UInt8]) -> Bool {
        var decoder = TupleDecoder(values)
        while !decoder.isAtEnd {
            guard let element = try? decoder.skip() else { return false }
            if EncodedElement.isNull(element) { return true }
        }
        return false
    }
}
