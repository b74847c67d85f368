internal import Foundation
internal import Heartwood
internal import HeartwoodRepository

/// Everything that a store has of repositories, read without the typed layer: it has its own reading of records.
struct StoredItems {
    struct Record {
        var version: Int
        /// The encoded values by the number of their index.
        var groups: [Int: [[UInt8]]]
        var uniqueGroups: Set<Int>
        var payload: [UInt8]
        var sequence: UInt64
        var expires: UInt64
    }

    struct Stored {
        var entry: CatalogueEntry
        /// By the encoded id.
        var records: [[UInt8]: Record] = [:]
        /// The entries of each index, by their key without the prefix.
        var entries: [Int: [[UInt8]: Entry]] = [:]
    }

    private(set) var repositories: [String: Stored] = [:]

    /// - Throws: `Violation` if a key belongs to no repository, or a value is not what it should be.
    init(_ store: Store) throws {
        var all = try store.scanAll()
        let catalogued = KeyLayout.catalogue
        for (key, entry) in all where key.starts(with: catalogued) {
            all[key] = nil
            var decoder = TupleDecoder(Array(key.dropFirst(catalogued.count)))
            if key == KeyLayout.nextNumber { continue }
            guard let name = try? decoder.decode(String.self) else {
                throw Violation("the catalogue has the key \(key)")
            }
            if !decoder.isAtEnd { continue }
            do {
                repositories[name] = Stored(entry: try CatalogueEntry(bytes: entry.value))
            } catch {
                throw Violation("the catalogue's entry of \"\(name)\" doesn't decode: \(error)")
            }
        }
        for name in repositories.keys { try take(&all, of: name) }
        if let key = all.keys.first { throw Violation("a key belongs to nothing in the catalogue: \(key)") }
    }

    private mutating func take(_ all: inout [[UInt8]: Entry], of name: String) throws {
        let layout = repositories[name]!.entry.layout
        for (key, entry) in all where key.starts(with: layout.recordPrefix) {
            all[key] = nil
            let id = Array(key.dropFirst(layout.recordPrefix.count))
            repositories[name]!.records[id] = try Self.record(entry, id, name)
        }
        for index in repositories[name]!.entry.indexes {
            let prefix = layout.entriesPrefix(index.number)
            var entries: [[UInt8]: Entry] = [:]
            for (key, entry) in all where key.starts(with: prefix) {
                all[key] = nil
                entries[Array(key.dropFirst(prefix.count))] = entry
            }
            repositories[name]!.entries[index.number] = entries
        }
    }

    /// Reads the head of a record.
    private static func record(_ entry: Entry, _ id: [UInt8], _ name: String) throws -> Record {
        var bytes = entry.value[...]
        func number() throws -> Int {
            var (value, shift) = (0, 0)
            while let byte = bytes.popFirst(), shift < 56 {
                value |= Int(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            throw Violation("the record \(id) of \"\(name)\" has no head")
        }
        try expect(bytes.popFirst() == 1, "the record \(id) of \"\(name)\" has another layout")
        var record = Record(
            version: try number(), groups: [:], uniqueGroups: [], payload: [], sequence: entry.sequence,
            expires: entry.expires?.milliseconds ?? 0)
        for _ in 0..<(try number()) {
            let head = try number()
            var values: [[UInt8]] = []
            for _ in 0..<(try number()) {
                let count = try number()
                values.append(Array(bytes.prefix(count)))
                bytes = bytes.dropFirst(count)
            }
            if head & 1 == 1 { record.uniqueGroups.insert(head >> 1) }
            try expect(
                record.groups.updateValue(values, forKey: head >> 1) == nil,
                "the record \(id) of \"\(name)\" lists the index \(head >> 1) two times")
        }
        record.payload = Array(bytes)
        return record
    }
}

extension Store {
    /// All entries.
    fileprivate nonisolated func scanAll() throws -> [[UInt8]: Entry] {
        Dictionary(try scan().entries().map { ($0.key, $0) }) { $1 }
    }
}

// MARK: - Without the model

extension StoredItems {
    /// Checks records and entries against each other, in both directions, without the models.
    ///
    /// - Throws: `Violation`.
    func judge() throws {
        for (name, stored) in repositories {
            for index in stored.entry.indexes where index.state != .dropping { try judge(index, stored, name) }
            // What an older version has put into an index may not be what the newest looks for.
            try expect(
                stored.entry.oldestVersion == stored.entry.version
                    || !stored.entry.indexes.contains { $0.state == .ready },
                "\"\(name)\" has an index that is ready, and records of older versions")
            for (id, record) in stored.records {
                try expect(
                    (stored.entry.oldestVersion...stored.entry.version).contains(record.version),
                    "the record \(id) of \"\(name)\" has version \(record.version), and the catalogue says "
                        + "\(stored.entry.oldestVersion) to \(stored.entry.version)")
                for number in record.groups.keys {
                    try expect(
                        number < stored.entry.nextIndex, "the record \(id) of \"\(name)\" lists an index \(number)")
                }
            }
        }
    }

    /// The key of an entry after its index's prefix, and its value.
    private static func entry(_ values: [UInt8], _ id: [UInt8], isUnique: Bool) -> (key: [UInt8], value: [UInt8]) {
        var decoder = TupleDecoder(values)
        var hasNull = false
        while !decoder.isAtEnd, let element = try? decoder.skip() { if element.first == 0 { hasNull = true } }
        return isUnique && !hasNull ? (values, id) : (values + id, [])
    }

    private func judge(_ index: StoredIndex, _ stored: Stored, _ name: String) throws {
        let label = "the index \"\(index.name)\" (\(index.number), \(index.state)) of \"\(name)\""
        var left = stored.entries[index.number] ?? [:]
        for (id, record) in stored.records {
            guard let values = record.groups[index.number] else {
                if index.state == .ready { throw Violation("\(label) is ready, and the record \(id) isn't in it") }
                continue
            }
            try expect(
                record.uniqueGroups.contains(index.number) == index.isUnique,
                "\(label) is unique or not, and the record \(id) says the opposite")
            for value in values {
                let (key, content) = Self.entry(value, id, isUnique: index.isUnique)
                guard let entry = left.removeValue(forKey: key) else {
                    throw Violation("\(label) lacks the entry \(key) of the record \(id), or two records have it")
                }
                try expect(entry.value == content, "\(label) has \(key) for \(entry.value), and not for \(id)")
                try expect(
                    (entry.expires?.milliseconds ?? 0) == record.expires,
                    "\(label) has an entry of the record \(id) that doesn't expire with it")
            }
        }
        if let key = left.keys.first { throw Violation("\(label) has the entry \(key), which no record lists") }
    }
}

// MARK: - With the model

extension StoredItems {
    /// The records, decoded. Their values, and what they list for each index, are compared with their stamps.
    ///
    /// - Throws: `Violation`.
    func decode(_ world: ItemWorld) throws -> [Slot: FoundItem] {
        var found: [Slot: FoundItem] = [:]
        for (number, name) in ItemProgram.repositories.enumerated() {
            guard let stored = repositories[name] else { continue }
            for (id, record) in stored.records {
                let (slot, item) = try Self.item(record, id, number, world)
                let slotName = Slot(repository: number, number: slot)
                found[slotName] = FoundItem(
                    stamp: item.stamp, count: item.count, sequence: record.sequence, expires: record.expires)
                for index in stored.entry.indexes {
                    guard let values = record.groups[index.number], let known = ItemIndex.of(index) else { continue }
                    try expect(
                        values == known.keys(of: item.fields, version: world.model(ofVersion: record.version)),
                        "the record \(id) of \"\(name)\" lists other values for \"\(index.name)\" than it has")
                }
            }
        }
        return found
    }

    private static func item(
        _ record: Record, _ id: [UInt8], _ repository: Int, _ world: ItemWorld
    ) throws -> (Int, any Item) {
        guard let type = ItemModels.type(repository, version: world.model(ofVersion: record.version)) else {
            throw Violation("the record \(id) has version \(record.version)")
        }
        let (slot, item) = try decode(type, record.payload, id, world)
        guard let slot, item.fields == ItemFields(stamp: item.stamp, slot: slot, world).stored(world) else {
            throw Violation("a record is a mixture of others: \(item)")
        }
        return (slot, item)
    }

    private static func decode<Model: Item>(
        _ model: Model.Type, _ payload: [UInt8], _ id: [UInt8], _ world: ItemWorld
    ) throws -> (Int?, any Item) {
        let item = try world.coder.decode(model, from: payload.span.bytes)
        var encoder = TupleEncoder()
        encoder.append(item.id)
        try expect(encoder.bytes == id, "a record has the id \(item.id), and another in its key")
        return (item.id.slot, item)
    }

    /// Whether two records want one value of a unique index.
    func hasDuplicates(_ index: ItemIndex, in name: String, _ world: ItemWorld) throws -> Bool {
        let number = ItemProgram.repositories.firstIndex(of: name)
        guard index.isUnique, let stored = repositories[name], let number else { return false }
        var seen: Set<[UInt8]> = []
        for (id, record) in stored.records {
            let (_, item) = try Self.item(record, id, number, world)
            for key in index.keys(of: item.fields, version: world.model(ofVersion: record.version)) {
                let (entry, content) = Self.entry(key, id, isUnique: true)
                if !content.isEmpty, !seen.insert(entry).inserted { return true }
            }
        }
        return false
    }

    /// Checks what maintenance that has come to its end must leave.
    ///
    /// - Parameter reported: The indexes that it reported as not ready.
    func judgeMaintained(
        _ repository: Int, _ program: ItemProgram, reported: [String], _ world: ItemWorld
    ) throws {
        let name = ItemProgram.repositories[repository]
        guard let stored = repositories[name] else { throw Violation("the catalogue lacks \"\(name)\"") }
        let version = world.versions[program.model - 1]
        try expect(
            stored.entry.version == version && stored.entry.oldestVersion == version,
            "\"\(name)\" is maintained, and has versions \(stored.entry.oldestVersion) to \(stored.entry.version)")
        for (id, record) in stored.records {
            try expect(record.version == version, "\"\(name)\" is maintained, and \(id) has \(record.version)")
        }
        try expect(
            stored.entry.indexes.allSatisfy { $0.state != .dropping }, "\"\(name)\" has an index that is dropped still")
        for index in program.indexes[repository] {
            let label = "the index \"\(index.name)\" of \"\(name)\""
            let own = stored.entry.indexes.filter { ItemIndex.of($0) == index && $0.state != .unmaintained }
            guard own.count == 1 else { throw Violation("\(label) is \(own.count) times in the catalogue") }
            let isReady = own[0].state == .ready
            try expect(isReady != reported.contains(index.name), "\(label) was reported as ready, or not, and isn't")
            if !isReady {
                try expect(try hasDuplicates(index, in: name, world), "\(label) is not ready, without any reason")
                continue
            }
            var wanted: Set<[UInt8]> = []
            for (id, record) in stored.records {
                let (_, item) = try Self.item(record, id, repository, world)
                for key in index.keys(of: item.fields, version: program.model) {
                    wanted.insert(Self.entry(key, id, isUnique: index.isUnique).key)
                }
            }
            let has = Set((stored.entries[own[0].number] ?? [:]).keys)
            try expect(has == wanted, "\(label) doesn't have what its records have")
        }
    }
}
