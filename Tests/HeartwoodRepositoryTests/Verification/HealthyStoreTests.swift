import HeartwoodRepository
import HeartwoodTesting
import KeyValueStoreTesting
import Testing

/// A model whose ids have no order.
struct Spot: Codable, Identifiable, Sendable {
    struct ID: Codable, Hashable, Sendable { var x: Int, y: Int }

    var id: ID
    var colour: String

    static let definition = RepositoryDefinition<Spot>("spots", indexes: [Index("colour", \.colour)])
}

@Suite struct HealthyStoreTests {
    /// Nothing is found, neither with nor without the model; returns the figures by name.
    private func expectClean(
        _ store: any KeyValueStore, _ location: SourceLocation = #_sourceLocation
    ) async throws -> [String: RepositoryFigures] {
        let verification = try await store.verifyRepositories()
        #expect(verification.isClean, "\(verification.findings)", sourceLocation: location)
        #expect(try await store.repositoryFigures() == verification.repositories, sourceLocation: location)
        return Dictionary(uniqueKeysWithValues: verification.repositories.map { ($0.name, $0) })
    }

    private func user(_ id: Int, _ random: inout SeededRandom) -> User {
        User(
            id: id, name: "n\(Int.random(in: 0..<5, using: &random))",
            email: Bool.random(using: &random) ? "mail\(id)" : nil, age: Int.random(in: 0..<9, using: &random),
            tags: (0..<Int.random(in: 0..<4, using: &random)).map { _ in "t\(Int.random(in: 0..<3, using: &random))" })
    }

    private func change(
        _ users: Repository<User>, _ clock: TestClock, _ random: inout SeededRandom, times: Int
    ) async throws {
        for _ in 0..<times {
            let id = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0...1: try await users.save(user(id, &random))
            case 2: try await users.save((id..<id + 3).map { user($0, &random) })
            case 3: try await users.update(id) { $0.age += 1 }
            case 4: try await users.delete(id)
            case 5:
                try await users.save(
                    user(id, &random), expires: .after(.seconds(Int.random(in: 1..<40, using: &random))))
            default: clock.advance(seconds: UInt64.random(in: 0..<4, using: &random))
            }
        }
    }

    @Test(arguments: TestEngine.allCases, [UInt64(1), 2])
    func nothingIsFoundAfterRandomChanges(_ engine: TestEngine, seed: UInt64) async throws {
        var random = SeededRandom(seed)
        let test = TestStore(engine, seed: seed)
        let all = User.definition.indexes
        // New, dropped and unmaintained indexes, with and without maintenance.
        let stages: [(indexes: [Index<User>], unknown: UnknownIndexes, maintenance: MaintenanceMode)] = [
            ([all[0]], .automatic, .wait), (all, .remove, .manual), (all, .remove, .wait),
            (Array(all.dropFirst(2)), .remove, .manual), (all, .automatic, .manual), ([all[3]], .keep, .manual),
            (all, .automatic, .wait),
        ]
        for stage in stages {
            try await test.withStore { store in
                let users = try await store.repository(
                    RepositoryDefinition<User>("users", indexes: stage.indexes, unknownIndexes: stage.unknown),
                    maintenance: stage.maintenance)
                let spots = try await store.repository(Spot.definition)
                try await change(users, test.clock, &random, times: 60)
                try await spots.save(Spot(id: .init(x: 1, y: Int.random(in: 0..<9, using: &random)), colour: "red"))
                let figures = try await expectClean(store)
                #expect(figures.count == 2)
                let verification = try await users.verify()
                #expect(verification.isClean, "\(verification.findings)")
                #expect(verification.repositories.map(\.name) == ["users"])
                #expect(figures["users"]?.records == (try await users.count()))
                #expect(figures["users"]?.versions[1] == figures["users"]?.records)
                #expect(figures["spots"]?.hasOrderedIDs == false)
                #expect(figures["spots"]?.indexes.map(\.entries) == [figures["spots"]?.records ?? 0])
                #expect(try await spots.verify().isClean)
            }
        }
        try await test.withStore { store in
            let states = try await expectClean(store)["users"]?.indexes.map(\.state)
            #expect(states?.allSatisfy { $0 == .ready } == true)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func storesWithoutRepositoriesAreClean(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            var batch = WriteBatch()
            batch.put([0xFD], [1])
            batch.put([0xFF], [1])
            try await store.write(batch, durability: nil)
            #expect(try await expectClean(store).isEmpty)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func writesMeanwhileAreNoDamage(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withUsers { store, users in
            for id in 0..<40 {
                try await users.save(User(id: id, name: "n", email: "mail\(id)", tags: ["a", "b"]))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var random = SeededRandom(7)
                    try await change(users, test.clock, &random, times: 200)
                }
                for _ in 0..<5 {
                    let verification = try await users.verify()
                    #expect(verification.isClean, "\(verification.findings)")
                    _ = try await store.verifyRepositories()
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func continuesInANewViewIfTheEngineEndsViews() async throws {
        var behaviour = ConstrainedStore.Behaviour.gentle
        behaviour.viewEnds = 0.15
        let clock = TestClock()
        let store = ConstrainedStore(behaviour, clock: { clock.now() })
        let users = try await store.repository(User.definition)
        for id in 0..<300 { try await users.save(User(id: id, name: "n\(id)", email: "\(id)", tags: ["a"])) }
        let verification = try await users.verify()
        #expect(verification.isClean, "\(verification.findings)")
        #expect(verification.views > 1)
        #expect(verification.repositories.first?.records == 300)
        #expect(verification.repositories.first?.indexes.map(\.entries) == [300, 300, 300, 300])
        await store.close()
    }

    @Test func endsWhenTheTaskIsCancelled() async throws {
        try await TestStore(.memory).withUsers { store, users in
            try await users.save((0..<300).map { User(id: $0, name: "n") })
            let task = Task {
                await expectError(.cancelled) {
                    withUnsafeCurrentTask { $0?.cancel() }
                    _ = try await users.verify()
                }
            }
            _ = await task.value
        }
    }
}
