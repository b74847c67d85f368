import Foundation
import Heartwood
import HeartwoodTesting
import KeyValueStoreTesting
import Testing

@testable import HeartwoodRepository

/// Other programs' bytes under the keys of repositories, and engines that fail.
@Suite struct HostileContentTests {
    /// No bytes of a record or of the catalogue make a call trap or hang; they end in an error with a remedy.
    @Test(arguments: TestEngine.allCases, 1...2)
    func anyBytesEndInAnError(_ engine: TestEngine, _ seed: Int) async throws {
        var random = SeededRandom(UInt64(seed))
        let test = TestStore(engine, seed: UInt64(seed))
        try await test.withUsers { store, users in
            try await users.save((0..<20).map { User(id: $0, name: "n", email: "\($0)", tags: ["t"]) })
            let layout = users.core.base.layout
            for _ in 0..<60 {
                let id = Int.random(in: 0..<20, using: &random)
                let key = try users.core.key(id)
                guard var bytes = try await store.fetchEntry(key)?.value else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes = []
                case 1: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
                case 2:
                    bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                default:
                    bytes[Int.random(in: 0..<min(12, bytes.count), using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                }
                try await commit([.init(key: key, value: bytes)], store)
                await expectStoreError { _ = try await users.find(by: id) }
                await expectStoreError { _ = try await users.loadAll() }
                await expectStoreError { _ = try await users.fetch(where: \.name == "n", sort: [.ascending(\.age)]) }
                await expectStoreError { try await users.save(User(id: id, name: "again", email: "\(id)")) }
                await expectStoreError { try await users.update(id) { $0.age += 1 } }
                _ = try await users.loadAll { _ in }
                // So that the next round has a record again.
                try await commit([.init(key: key, value: nil)], store)
                for entry in try await store.fetchEntries(in: layout.range, reversed: false, limit: 1_000).entries
                where entry.value == Array(key.dropFirst(layout.recordPrefix.count)) {
                    try await commit([.init(key: entry.key, value: nil)], store)
                }
                try await users.save(User(id: id, name: "n", email: "\(id)", tags: ["t"]))
            }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aDamagedCatalogueIsRefused(_ engine: TestEngine) async throws {
        var random = SeededRandom(7)
        let test = TestStore(engine)
        try await test.withStore { _ = try await $0.repository(User.definition) }
        let key = KeyLayout.catalogueKey("users")
        let intact = try await test.withStore { try await $0.fetchEntry(key)?.value } ?? []
        for round in 0..<40 {
            var bytes = intact
            switch round % 4 {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 1:
                bytes = Array(
                    String(decoding: bytes, as: UTF8.self).replacing("\"number\":1", with: "\"number\":-1").utf8)
            case 2:
                bytes = Array(
                    String(decoding: bytes, as: UTF8.self).replacing("\"format\":1", with: "\"format\":9").utf8)
            default: bytes = (0..<50).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            try await test.withStore { store in
                try await commit([.init(key: key, value: bytes)], store)
                let code: StoreError.Code = round % 4 == 2 ? .unsupportedFormat : .corruption
                _ = await expectError(code) { _ = try await store.repository(User.definition) }
            }
        }
    }

    /// Whatever an engine does to single calls, records and index entries agree.
    @Test(arguments: 1...12)
    func anEngineThatFailsLeavesIndexesRight(_ seed: Int) async throws {
        let store = ConstrainedStore(.hostile.seeded(UInt64(seed)))
        func retrying<R>(_ body: () async throws -> R) async throws -> R {
            while true {
                do {
                    return try await body()
                } catch let error as StoreError where [.outcomeUnknown, .inputOutput, .viewEnded].contains(error.code) {
                }
            }
        }
        let users = try await retrying { try await store.repository(User.definition) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SeededRandom(UInt64(seed), UInt64(task))
                    for _ in 0..<40 {
                        let user = User(
                            id: Int.random(in: 0..<15, using: &random),
                            name: "\(Int.random(in: 0..<3, using: &random))",
                            email: "\(Int.random(in: 0..<10, using: &random))",
                            age: Int.random(in: 0..<5, using: &random),
                            tags: ["\(Int.random(in: 0..<3, using: &random))"])
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: try? await users.delete(user.id)
                        case 1: _ = try? await users.insert(user)
                        case 2: _ = try? await users.update(user.id) { $0 = user }
                        default: _ = try? await users.save(user)
                        }
                    }
                }
            }
        }
        let all = try await retrying { try await users.loadAll() }
        let emails = all.compactMap(\.email)
        #expect(Set(emails).count == emails.count, "seed \(seed)")
        for name in ["0", "1", "2"] {
            let found = try await retrying { try await users.fetch(where: \.name == name) }
            #expect(found == all.filter { $0.name == name }, "seed \(seed)")
            let tagged = try await retrying { try await users.fetch(where: .contains(\.tags, name)) }
            #expect(tagged == all.filter { $0.tags.contains(name) }, "seed \(seed)")
        }
        for number in 0..<10 {
            let found = try await retrying { try await users.fetch(where: \.email == "\(number)") }
            #expect(found == all.filter { $0.email == "\(number)" }, "seed \(seed)")
        }
    }

    @Test func envelopesOfAnyBytesEndInAnError() throws {
        var random = SeededRandom(3)
        for _ in 0..<20_000 {
            var bytes = RecordEnvelope(
                version: 3,
                groups: [
                    .init(index: 1, isUnique: true, values: [[2, 65, 0]]), .init(index: 2, isUnique: false, values: []),
                ]
            ).encoded(with: [1, 2, 3])
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            switch Result(catching: { () throws(StoreError) in try RecordEnvelope.decode(bytes) }) {
            case .success(let (envelope, payload)):
                #expect(payload <= bytes.count)
                #expect(envelope.groups.count <= bytes.count)
            case .failure(let error):
                #expect(error.code == .corruption || error.code == .unsupportedFormat)
            }
        }
    }

    @Test func aReadOnlyStoreHasRepositories() async throws {
        let directory = NSTemporaryDirectory() + "heartwood-read-only-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try await Store.open(at: directory)
        let users = try await store.repository(User.definition)
        try await users.save((0..<50).map { User(id: $0, name: "\($0 % 5)", age: $0) })
        let reading = try await ReadOnlyStore.open(at: directory, level: .visible)
        let read = try await reading.readOnlyRepository(User.definition)
        #expect(try await read.count(where: \.name == "3") == 10)
        let plan = read.plan(for: Query(where: \.name == "3"))
        #expect(plan.description.contains("index name"))
        try await users.save(User(id: 100, name: "3"))
        #expect(try await read.fetch(where: \.name == "3").count == 10)
        try await reading.refresh()
        #expect(try await read.fetch(where: \.name == "3").count == 11)
        _ = await expectError(.notFound) {
            _ = try await reading.readOnlyRepository(RepositoryDefinition<User>("none"))
        }
        reading.close()
        try await store.close()
    }

    /// Only `StoreError` may come out, or nothing.
    private func expectStoreError(_ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void) async
    {
        do {
            try await body()
        } catch {
            #expect(error is StoreError, sourceLocation: location)
        }
    }

    private func commit(_ operations: [WriteBatch.Operation], _ store: any KeyValueStore) async throws {
        try await store.write(WriteBatch(operations: operations), durability: nil)
    }
}
