@testable import HeartwoodRepository
import Testing

/// A way to damage a repository by writes to its keys.
struct Damage: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The kinds of findings, each as often as it is found.
    var found: [RepositoryFinding.Kind]
    /// Whether only the model shows it.
    var needsModel = false
    /// What the sentence of the first finding has.
    var words = ""
    var plant: @Sendable (CatalogueEntry, any KeyValueStore) async throws -> WriteBatch

    init(
        _ name: String, _ found: [RepositoryFinding.Kind], needsModel: Bool = false, words: String = "",
        _ plant: @escaping @Sendable (CatalogueEntry, any KeyValueStore) async throws -> WriteBatch
    ) {
        (testDescription, self.found, self.needsModel, self.words) = (name, found, needsModel, words)
        self.plant = plant
    }

    static func encoded(_ elements: TupleValue...) -> [UInt8] {
        var encoder = TupleEncoder()
        for element in elements { encoder.append(element) }
        return encoder.bytes
    }

    private static func batch(_ changes: ([UInt8], [UInt8]?)...) -> WriteBatch {
        WriteBatch(operations: changes.map { WriteBatch.Operation(key: $0.0, value: $0.1) })
    }

    /// A change of the envelope of record 1.
    private static func envelope(
        _ entry: CatalogueEntry, _ store: any KeyValueStore, _ change: (inout RecordEnvelope, inout [UInt8]) -> Void
    ) async throws -> WriteBatch {
        let key = entry.layout.recordKey(encoded(.int(1)))
        let stored = try #require(try await store.fetchEntry(key))
        var (envelope, start) = try RecordEnvelope.decode(stored.value)
        var payload = Array(stored.value[start...])
        change(&envelope, &payload)
        return batch((key, envelope.encoded(with: payload)))
    }

    private static func index(_ name: String, _ entry: CatalogueEntry) -> [UInt8] {
        entry.layout.entriesPrefix(entry.indexes.first { $0.name == name }?.number ?? 0)
    }

    /// Users 1 (Ada, "a", 36, x y), 2 (Bob, no address) and 3 (Cid, "c") exist.
    static let all: [Damage] = [
        Damage("the catalogue's entry", [.unreadableCatalogue], words: "\"other\"") { _, _ in
            batch((KeyLayout.catalogueKey("other"), Array("{}".utf8)))
        },
        Damage("a key of the catalogue", [.unreadableCatalogue]) { _, _ in
            batch((KeyLayout.catalogue + encoded(.int(5)), []))
        },
        Damage("progress of no repository", [.unreadableCatalogue]) { _, _ in
            batch((KeyLayout.progressKey("none"), []))
        },
        Damage("the next number", [.unreadableCatalogue], words: "number of an existing one") { _, _ in
            batch((KeyLayout.nextNumber, nil))
        },
        Damage("the same number twice", [.unreadableCatalogue]) { entry, _ in
            var other = entry
            other.name = "zz"
            return batch((KeyLayout.catalogueKey("zz"), try other.bytes))
        },
        Damage("keys of no repository and no index", [.strayKey, .strayKey, .strayKey, .strayKey]) { entry, _ in
            batch(
                ([KeyLayout.root], []), ([KeyLayout.root] + encoded(.int(99), .int(0), .int(1)), []),
                (entry.layout.entriesPrefix(77) + encoded(.int(1)), []), ([KeyLayout.root, 0xFF], []))
        },
        Damage("a record without an id", [.unreadableID]) { entry, _ in
            let groups = entry.indexes.map {
                RecordEnvelope.Group(index: $0.number, isUnique: $0.isUnique, values: [])
            }
            return batch(
                (entry.layout.recordKey([0x99]), RecordEnvelope(version: 1, groups: groups).encoded(with: [])))
        },
        Damage("a record's head", [.unreadableRecord], words: "\"users\", record 2: its head doesn't decode") {
            entry, _ in batch((entry.layout.recordKey(encoded(.int(2))), [0]))
        },
        Damage("a newer layout", [.unreadableRecord], words: "use a newer version of Heartwood") { entry, _ in
            batch((entry.layout.recordKey(encoded(.int(2))), [9, 1, 0]))
        },
        Damage("a version too new", [.unexpectedVersion], words: "version 9") { entry, store in
            try await envelope(entry, store) { envelope, _ in envelope.version = 9 }
        },
        Damage("a version too old", [.unexpectedVersion], words: "version 0") { entry, store in
            try await envelope(entry, store) { envelope, _ in envelope.version = 0 }
        },
        Damage("keys in an index that never existed", [.unknownIndex], words: "number 50") { entry, store in
            try await envelope(entry, store) { envelope, _ in
                envelope.groups.append(.init(index: 50, isUnique: false, values: []))
            }
        },
        Damage("keys in one index twice", [.unknownIndex], words: "twice") { entry, store in
            try await envelope(entry, store) { envelope, _ in envelope.groups.append(envelope.groups[0]) }
        },
        Damage("no keys in a ready index", [.missingKeys, .orphanedEntry], words: "index \"name\"") { entry, store in
            try await envelope(entry, store) { envelope, _ in envelope.groups.removeFirst() }
        },
        Damage("a missing entry", [.missingEntry], words: "\"users\", index \"name\", (\"Ada\"), record 1: ") {
            entry, _ in batch((index("name", entry) + encoded(.string("Ada"), .int(1)), nil))
        },
        Damage("a missing unique entry", [.missingEntry], words: "index \"email\", (\"a\"), record 1") { entry, _ in
            batch((index("email", entry) + encoded(.string("a")), nil))
        },
        Damage("a unique entry of another record", [.wrongEntry, .orphanedEntry], words: "leads to record 3") {
            entry, _ in batch((index("email", entry) + encoded(.string("a")), encoded(.int(3))))
        },
        Damage("an entry with a value", [.wrongEntry], words: "index \"tag\"") { entry, _ in
            batch((index("tag", entry) + encoded(.string("x"), .int(1)), [1, 2]))
        },
        Damage("a unique entry without an id", [.wrongEntry, .unreadableEntry]) { entry, _ in
            batch((index("email", entry) + encoded(.string("a")), [0x99]))
        },
        Damage("an entry that expires", [.wrongExpiry], words: "record never") { entry, store in
            let key = index("name", entry) + encoded(.string("Ada"), .int(1))
            var batch = WriteBatch()
            batch.put(key, [], expires: .after(.seconds(1_000)))
            return batch
        },
        Damage("a record that expires", [.wrongExpiry, .wrongExpiry, .wrongExpiry]) { entry, store in
            let key = entry.layout.recordKey(encoded(.int(2)))
            let stored = try #require(try await store.fetchEntry(key))
            var batch = WriteBatch()
            batch.put(key, stored.value, expires: .after(.seconds(1_000)))
            return batch
        },
        Damage("an entry that isn't one", [.unreadableEntry, .unreadableEntry]) { entry, _ in
            batch((index("name", entry) + [0x99], []), (index("name", entry) + encoded(.int(1)), []))
        },
        Damage("an entry of no record", [.orphanedEntry], words: "no such record") { entry, _ in
            batch((index("name", entry) + encoded(.string("Eve"), .int(9)), []))
        },
        Damage("an entry that its record doesn't list", [.orphanedEntry], words: "doesn't list it") { entry, _ in
            batch((index("name", entry) + encoded(.string("Eve"), .int(1)), []))
        },
        Damage("a payload", [.undecodableRecord], needsModel: true, words: "record 1: it doesn't decode") {
            entry, store in try await envelope(entry, store) { _, payload in payload = Array("{}".utf8) }
        },
        Damage("the model of another id", [.otherID], needsModel: true, words: "record 1: its model has another id, 7")
        { entry, store in
            try await envelope(entry, store) { _, payload in
                payload = Array(String(decoding: payload, as: UTF8.self).replacing("\"id\":1", with: "\"id\":7").utf8)
            }
        },
        Damage("a property that was computed otherwise", [.outdatedKeys], needsModel: true, words: "index \"tag\"") {
            entry, store in
            let old = index("tag", entry) + encoded(.string("y"), .int(1))
            let number = entry.indexes.first { $0.name == "tag" }?.number
            var batch = try await envelope(entry, store) { envelope, _ in
                for position in envelope.groups.indices where envelope.groups[position].index == number {
                    envelope.groups[position].values.removeLast()
                }
            }
            batch.remove(old)
            return batch
        },
    ]
}

@Suite struct DamagedRepositoryTests {
    private func fill(_ store: any KeyValueStore) async throws -> Repository<User> {
        let users = try await store.repository(User.definition)
        try await users.save([
            User(id: 1, name: "Ada", email: "a", age: 36, tags: ["x", "y"]), User(id: 2, name: "Bob"),
            User(id: 3, name: "Cid", email: "c"),
        ])
        return users
    }

    private func entry(_ store: any KeyValueStore) async throws -> CatalogueEntry {
        let stored = try #require(try await store.fetchEntry(KeyLayout.catalogueKey("users")))
        return try CatalogueEntry(bytes: stored.value)
    }

    @Test(arguments: TestEngine.allCases, Damage.all)
    func isFound(_ engine: TestEngine, _ damage: Damage) async throws {
        try await TestStore(engine).withStore { store in
            let users = try await fill(store)
            #expect(try await store.verifyRepositories().isClean)
            // An engine may refuse without reason.
            let batch = try await damage.plant(try await entry(store), store)
            while (try? await store.write(batch, durability: nil)) == nil {}
            let verification = try await store.verifyRepositories()
            if damage.needsModel {
                #expect(verification.isClean, "\(verification.findings)")
                expect(damage, try await users.verify())
            } else {
                expect(damage, verification)
                #expect(!verification.isClean)
            }
        }
    }

    private func expect(_ damage: Damage, _ verification: RepositoryVerification) {
        let kinds = verification.findings.map(\.kind.rawValue).sorted()
        #expect(kinds == damage.found.map(\.rawValue).sorted(), "\(verification.findings)")
        #expect(verification.findingCount == damage.found.count)
        #expect(
            verification.findings.contains { $0.description.contains(damage.words) || damage.words.isEmpty },
            "\(verification.findings)")
        for finding in verification.findings { #expect(finding.description.hasSuffix(": \(finding.remedy)")) }
    }

    @Test(arguments: TestEngine.allCases)
    func onlyThousandAreListed(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            _ = try await fill(store)
            for part in 0..<11 {
                var batch = WriteBatch()
                for number in 0..<100 {
                    batch.put([KeyLayout.root] + Damage.encoded(.int(500), .int(Int64(part * 100 + number))), [])
                }
                while (try? await store.write(batch, durability: nil)) == nil {}
            }
            let verification = try await store.verifyRepositories()
            #expect(verification.findingCount == 1_100)
            #expect(verification.findings.count == 1_000)
            #expect(verification.repositories.first?.records == 3)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aNewerLayoutIsRefused(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            var batch = WriteBatch()
            batch.put(KeyLayout.catalogueKey("users"), Array(#"{"format":2}"#.utf8))
            try await store.write(batch, durability: nil)
            _ = await expectError(.unsupportedFormat) { _ = try await store.verifyRepositories() }
            _ = await expectError(.unsupportedFormat) { _ = try await store.repositoryFigures() }
        }
    }
}
