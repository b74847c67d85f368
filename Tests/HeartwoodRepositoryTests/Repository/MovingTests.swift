import Heartwood
import HeartwoodRepository
import HeartwoodTesting
import Testing

/// One model with several types of ids.
private enum Changed {
    struct Person: Codable, Identifiable, Sendable, Hashable {
        var id: Int
        var name: String
        var email: String?
    }

    struct ByText: Codable, Identifiable, Sendable, Hashable {
        var id: String
        var name: String
        var email: String?
    }

    static let people = RepositoryDefinition<Person>(
        "people", indexes: [Index("name", \.name), .unique("email", \.email)])
    static let byText = RepositoryDefinition<ByText>(
        "people-by-text", indexes: [Index("name", \.name), .unique("email", \.email)])

    static func person(_ id: Int) -> Person { Person(id: id, name: "n\(id % 3)", email: "\(id)@example.org") }

    /// Saves people in batches that every engine allows.
    static func savePeople(_ count: Int, in store: any KeyValueStore) async throws -> Repository<Person> {
        let people = try await store.repository(people)
        for start in stride(from: 0, to: count, by: 10) {
            try await people.save((start..<start + 10).map { person($0) })
        }
        return people
    }

    static func moved(_ old: Person) -> ByText { ByText(id: "u\(old.id)", name: old.name, email: old.email) }
}

@Suite struct MovingTests {
    /// Everything that a store has.
    private func contents(_ store: any KeyValueStore) async throws -> [Entry] {
        try await retryingEndedViews {
            try await store.fetchEntries(in: .all, reversed: false, limit: 10_000).entries
        }
    }

    /// The migration gives the same type of ids other values, or another type.
    @Test(arguments: TestEngine.allCases)
    func aMigrationThatChangesIDsIsRefusedBeforeAnythingIsWritten(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            let people = try await store.repository(Changed.people)
            for id in 0..<40 { try await people.save(Changed.person(id)) }
        }
        try await test.withStore { store in
            let before = try await contents(store)
            let shifted = RepositoryDefinition<Changed.Person>(
                "people", version: 2, indexes: Changed.people.indexes,
                migrations: [
                    Migration(from: 1, to: 2) { (old: Changed.Person) in
                        // Only one changes, and it isn't the first.
                        Changed.Person(id: old.id == 17 ? 1_017 : old.id, name: old.name, email: old.email)
                    }
                ])
            let texts = RepositoryDefinition<Changed.ByText>(
                "people", version: 2, indexes: Changed.byText.indexes,
                migrations: [Migration(from: 1, to: 2) { (old: Changed.Person) in Changed.moved(old) }])
            for mode in [MaintenanceMode.wait, .manual, .background] {
                let error = await expectError(.invalidArgument) {
                    _ = try await store.repository(shifted, maintenance: mode)
                }
                #expect(error?.message.contains("the record 17 of \"people\" would have another id, 1017") == true)
                #expect(error?.message.contains("moveRecords") == true)
                let other = await expectError(.invalidArgument) {
                    _ = try await store.repository(texts, maintenance: mode)
                }
                #expect(other?.message.contains("moveRecords") == true)
            }
            #expect(try await contents(store) == before)
            // The older program can still use it.
            #expect(try await store.repository(Changed.people).count() == 40)
        }
    }

    /// What a look at the first and the last records doesn't show, maintenance finds, and leaves as it is.
    @Test(arguments: TestEngine.allCases)
    func aRecordThatAMigrationWouldMoveStaysWhole(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            _ = try await Changed.savePeople(300, in: store)
        }
        let shifted = RepositoryDefinition<Changed.Person>(
            "people", version: 2, indexes: Changed.people.indexes,
            migrations: [
                Migration(from: 1, to: 2) { (old: Changed.Person) in
                    Changed.Person(id: old.id == 150 ? 7 : old.id, name: old.name, email: old.email)
                }
            ])
        try await test.withStore { store in
            _ = await expectError(.undecodable) { _ = try await store.repository(shifted) }
            let people = try await store.repository(shifted, maintenance: .manual)
            let report = try await people.maintain()
            #expect(report.undecodable.count == 1)
            #expect(report.undecodable.first?.message.contains("record 150 of \"people\"") == true)
            #expect(Set(report.unready) == ["name", "email"])
            #expect(try await people.count() == 300)
            #expect(try await people.find(by: 7)?.email == "7@example.org")
            #expect(try await store.verifyRepositories().isClean)
            let ids = try await people.loadAll { _ in }.map(\.id)
            #expect(ids == (0..<300).filter { $0 != 150 })
        }
    }

    @Test(arguments: TestEngine.allCases)
    func anotherTypeOfIDsIsRefused(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            let people = try await store.repository(Changed.people)
            try await people.save(Changed.person(1))
            _ = try await store.repository(of: Changed.Person.self, named: "empty")
        }
        try await test.withStore { store in
            let before = try await contents(store)
            let error = await expectError(.invalidArgument) {
                _ = try await store.repository(of: Changed.ByText.self, named: "people")
            }
            #expect(error?.message.contains("the record 1 of \"people\" has an id that is no String") == true)
            _ = await expectError(.invalidArgument) {
                _ = try await store.readOnlyRepository(RepositoryDefinition<Changed.ByText>("people"))
            }
            #expect(try await contents(store) == before)
            // There is nothing yet that has the old type.
            let empty = try await store.repository(of: Changed.ByText.self, named: "empty")
            #expect(try await empty.count() == 0)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func recordsMoveWithTheirEntriesAndExpiry(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { store in
            let people = try await Changed.savePeople(60, in: store)
            try await people.save(Changed.person(60), expires: .after(.seconds(100)))
            let byText = try await store.repository(Changed.byText)
            let report = try await people.moveRecords(to: byText) { Changed.moved($0) }
            #expect(report.isComplete)
            #expect(report.moved == 61)
            #expect(try await people.count() == 0)
            #expect(try await byText.count() == 61)
            #expect(try await byText.find(by: "u7") == Changed.moved(Changed.person(7)))
            #expect(try await byText.fetch(where: \.email == "8@example.org").map(\.id) == ["u8"])
            #expect(try await byText.count(where: \.name == "n1") == 20)
            #expect(try await byText.verify().isClean)
            #expect(try await people.verify().isClean)
            #expect(try await people.moveRecords(to: byText) { Changed.moved($0) }.moved == 0)
            test.clock.advance(seconds: 200)
            #expect(try await byText.find(by: "u60") == nil)
            #expect(try await byText.find(by: "u59") != nil)
            _ = await expectError(.invalidArgument) { _ = try await people.moveRecords(to: people) { $0 } }
        }
        try await TestStore(engine).withStore { store in
            let people = try await store.repository(Changed.people)
            try await TestStore(.memory).withStore { other in
                let byText = try await other.repository(Changed.byText)
                _ = await expectError(.invalidArgument) {
                    _ = try await people.moveRecords(to: byText) { Changed.moved($0) }
                }
            }
        }
    }

    /// Each record that can't be moved is listed, and the others move.
    @Test(arguments: TestEngine.allCases)
    func whatCannotMoveIsListedAndStays(_ engine: TestEngine) async throws {
        struct Refusal: Error {}
        try await TestStore(engine).withStore { store in
            let people = try await store.repository(Changed.people)
            for id in 0..<20 { try await people.save(Changed.person(id)) }
            let byText = try await store.repository(Changed.byText)
            try await byText.save(Changed.ByText(id: "other", name: "x", email: "12@example.org"))
            func move(_ same: Set<Int>) async throws -> MoveReport {
                try await people.moveRecords(to: byText) { old in
                    if old.id == 15 { throw Refusal() }
                    var new = Changed.moved(old)
                    if same.contains(old.id) { new.id = "same" }
                    return new
                }
            }
            let report = try await move([3, 4, 9])
            #expect(report.moved == 16)
            #expect(report.failures.map(\.code) == [.alreadyExists, .alreadyExists, .uniqueViolation, .undecodable])
            let names = report.failures.map { $0.message.prefix(while: { $0 != ":" }) }
            #expect(names == [4, 9, 12, 15].map { "the record \($0) of \"people\" stays there" })
            #expect(report.failures.last?.cause is Refusal)
            #expect(try await people.loadAll().map(\.id) == [4, 9, 12, 15])
            #expect(try await store.verifyRepositories().isClean)
            // They are corrected where they are, or by what the program makes of them.
            try await people.update(12) { $0.email = "twelve@example.org" }
            try await people.delete(15)
            let second = try await move([])
            #expect(second.isComplete && second.moved == 3)
            #expect(try await people.count() == 0)
            #expect(try await byText.count() == 20)
            #expect(try await byText.verify().isClean)
        }
    }

    /// Records that a coder has rounded get the ids that they have.
    @Test(arguments: TestEngine.allCases)
    func recordsWithOtherIDsCanMove(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            try await users.save((1...3).map { User(id: $0, name: "n\($0)", email: "\($0)") })
            try await users.replaceID(of: 2, by: 9, in: store)
            let target = try await store.repository(
                RepositoryDefinition<User>("repaired", indexes: User.definition.indexes))
            let report = try await users.moveRecords(to: target) { $0 }
            #expect(report.isComplete && report.moved == 3)
            #expect(try await target.loadAll().map(\.id) == [1, 3, 9])
            #expect(try await target.verify().isClean)
        }
    }

    /// While records move, other tasks write to both. Nothing is lost or twice.
    @Test(arguments: TestEngine.allCases, [UInt64(1), 2])
    func othersWriteMeanwhile(_ engine: TestEngine, _ seed: UInt64) async throws {
        let test = TestStore(engine, seed: seed)
        try await test.withStore { store in
            let people = try await store.repository(Changed.people)
            let byText = try await store.repository(Changed.byText)
            for id in 0..<40 { try await people.save(Changed.person(id)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for id in 0..<40 { try await people.update(id) { $0.name = "updated" } }
                }
                group.addTask {
                    for id in 40..<60 { try await people.save(Changed.person(id)) }
                }
                group.addTask {
                    for id in 0..<40 { try await byText.update("u\(id)") { $0.name = "updated" } }
                }
                group.addTask {
                    while try await byText.count() < 60 {
                        let report = try await people.moveRecords(to: byText) { Changed.moved($0) }
                        #expect(report.isComplete, "\(report.failures)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(try await byText.loadAll().map(\.id)) == Set((0..<60).map { "u\($0)" }))
            #expect(try await store.verifyRepositories().isClean)
        }
    }

    /// After a crash at any moment each record is in exactly one of the two, and another call moves the rest.
    @Test func continuesAfterACrash() async throws {
        let count = 300
        let first = SimulatedDisk(seed: 1)
        try await withStore(on: first) { store in
            let people = try await store.repository(Changed.people)
            try await people.save((0..<count).map { Changed.person($0) })
        }
        var partly = 0
        let report = try await CrashTest(statesPerMoment: 2, image: first.crash().image).run { disk in
            try await withStore(on: disk) { store in
                let (people, byText) = try await repositories(store)
                let report = try await people.moveRecords(to: byText, durability: .synced) { Changed.moved($0) }
                #expect(report.moved == count)
            }
        } check: { disk, _ in
            try await withStore(on: disk) { store in
                let (people, byText) = try await repositories(store)
                let moved = try await byText.loadAll().map(\.id)
                let left = try await people.loadAll().map { Changed.moved($0).id }
                #expect((moved + left).sorted() == (0..<count).map { "u\($0)" }.sorted())
                #expect(try await store.verifyRepositories().isClean)
                if !moved.isEmpty, !left.isEmpty { partly += 1 }
                #expect(try await people.moveRecords(to: byText) { Changed.moved($0) }.moved == left.count)
                #expect(try await (people.count(), byText.count()) == (0, count))
                #expect(try await byText.verify().isClean)
            }
        }
        #expect(report.crashes > 20)
        #expect(partly > 0)
    }

    private func repositories(
        _ store: Store
    ) async throws -> (Repository<Changed.Person>, Repository<Changed.ByText>) {
        (try await store.repository(Changed.people), try await store.repository(Changed.byText))
    }

    private func withStore(on disk: SimulatedDisk, _ body: (Store) async throws -> Void) async throws {
        var configuration = Store.Configuration()
        configuration.storage = disk.storage
        try await Store.withStore(at: "/store", configuration: configuration, body)
    }
}
