import Heartwood
import KeyValueStoreTesting
import Testing

@testable import HeartwoodRepository

/// What a typed transaction sees: nothing that isn't so, also before it has found out that it assumed what isn't so.
@Suite struct TransactionTests {
    private static func user(_ id: Int, _ email: String? = nil, name: String = "new", age: Int = 0) -> User {
        User(id: id, name: name, email: email, age: age)
    }

    /// What a body decides by what it has seen.
    private struct Decision: Error { var seen: [Int] = [] }

    private static func withUsers(
        _ engine: TestEngine, _ body: (TestStore, any KeyValueStore, Repository<User>) async throws -> Void
    ) async throws {
        let test = TestStore(engine)
        try await test.withUsers { store, users in
            try await users.save([user(1, "x", name: "old"), user(7, name: "other")])
            try await body(test, store, users)
            let verification = try await users.verify()
            #expect(verification.isClean, "\(verification.findings)")
        }
    }

    private static let looks: [@Sendable (Repository<User>, Transaction) async throws -> [Int]] = [
        { [try await $0.count(Query(where: \.name >= "new" && \.name <= "old"), in: $1)] },
        { [try await $0.count(Query(), in: $1)] },
        { try await $0.fetch(Query(where: \.name == "old"), in: $1).map(\.id) },
        { try await $0.fetch(Query(where: \.name == "new"), in: $1).map(\.id) },
        { [try await $0.find(by: 7, in: $1)?.id ?? 0] },
        { [try await $0.increment(\.age, of: 7, in: $1) ?? 0] },
        { users, transaction in
            try await users.delete(1, in: transaction)
            return try await users.fetch(Query(where: \.name == "old"), in: transaction).map(\.id)
        },
        { users, transaction in
            try await users.save(user(7, "x"), in: transaction)
            return try await users.fetch(Query(where: \.email == "x"), in: transaction).map(\.id)
        },
        // Its own record alone, and nothing at all.
        { [try await $0.find(by: 1, in: $1)?.age ?? 0] }, { _, _ in [] },
    ]

    /// The insert can't have succeeded in any state; so no error may follow from what the body saw after it.
    @Test(arguments: TestEngine.allCases, looks.indices)
    func anInsertOfAnExistingIDShowsNothing(_ engine: TestEngine, look: Int) async throws {
        try await Self.withUsers(engine) { _, store, users in
            for isCaught in [false, true] {
                let error = await expectError(.alreadyExists) {
                    try await store.transaction { transaction in
                        try await users.insert(Self.user(1), in: transaction)
                        do {
                            throw Decision(seen: try await Self.looks[look](users, transaction))
                        } catch  where isCaught {}
                    }
                }
                #expect(error?.message.contains("has a record 1 already") == true)
            }
            let names = try await users.loadAll().map(\.name)
            #expect(names == ["old", "other"])
        }
    }

    /// A body may go on after the error.
    @Test(arguments: TestEngine.allCases)
    func aBodyMayCatchThatARecordExists(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { _, store, users in
            let ages = try await store.transaction { transaction in
                var ages: [Int] = []
                for id in 0..<3 {
                    do throws(StoreError) {
                        try await users.insert(Self.user(id, age: 1), in: transaction)
                    } catch {
                        guard error.code == .alreadyExists else { throw error }
                        try await users.update(id, in: transaction) { $0.age += 10 }
                    }
                    ages.append(try await users.find(by: id, in: transaction)?.age ?? -1)
                }
                return ages + [try await users.count(Query(), in: transaction)]
            }.value
            #expect(ages == [1, 10, 1, 4])
            #expect(try await users.find(by: [0, 1, 2]).map { $0?.age } == [1, 10, 1])
        }
    }

    // MARK: Unique values

    /// The index names one record of two that have a value: a query must find both.
    @Test(arguments: TestEngine.allCases)
    func twoRecordsWithOneValueAreBothSeen(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { _, store, users in
            let query = Query<User>(where: \.email == "x")
            _ = await expectError(.uniqueViolation) {
                try await store.transaction { transaction in
                    try await users.save(Self.user(2, "x"), in: transaction)
                    let seen = try await users.fetch(query, in: transaction).map(\.id)
                    if seen != [1, 2] { throw Decision(seen: seen) }
                    let count = try await users.count(query, in: transaction)
                    if count != 2 { throw Decision(seen: [count]) }
                }
            }
            // An exchange, with a look after each step.
            try await users.save(Self.user(2, "y"))
            try await store.transaction { transaction in
                var seen: [[Int]] = []
                for step in 0..<3 {
                    if step == 1 { try await users.save(Self.user(1, "y", name: "old"), in: transaction) }
                    if step == 2 { try await users.save(Self.user(2, "x"), in: transaction) }
                    for email in ["x", "y"] {
                        let query = Query<User>(where: \.email == email)
                        seen.append(try await users.fetch(query, in: transaction).map(\.id))
                        let count = try await users.count(query, in: transaction)
                        if count != seen.last?.count { throw Decision(seen: [count]) }
                    }
                }
                if seen != [[1], [2], [], [1, 2], [2], [1]] { throw Decision(seen: seen.flatMap { $0 }) }
            }
            #expect(try await users.find(by: [1, 2]).map { $0?.email } == ["y", "x"])
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aValueThatWasGivenUpIsItsHoldersAgainAtOnce(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { _, store, users in
            for isDeleted in [false, true] {
                try await store.transaction { transaction in
                    try await users.save(Self.user(2, "x"), in: transaction)
                    if isDeleted {
                        try await users.delete(2, in: transaction)
                    } else {
                        try await users.save(Self.user(2, "z"), in: transaction)
                    }
                    let seen = try await users.fetch(Query(where: \.email == "x"), in: transaction).map(\.id)
                    let count = try await users.count(Query(where: \.email >= "a"), in: transaction)
                    if seen != [1] || count != (isDeleted ? 1 : 2) { throw Decision(seen: seen + [count]) }
                }
                _ = await expectError(.uniqueViolation) { try await users.save(Self.user(3, "x")) }
            }
            _ = await expectError(.uniqueViolation) {
                try await store.transaction { transaction in
                    for (id, email) in [(4, "x"), (4, "y"), (3, "x")] {
                        try await users.save(Self.user(id, email), in: transaction)
                    }
                }
            }
            #expect(try await users.find(by: 3) == nil)
            #expect(try await users.first(where: \.email == "x")?.id == 1)
        }
    }

    /// The value is free when the record has expired, also while a transaction that has read the record is running.
    @Test(arguments: TestEngine.allCases, 0..<4)
    func anExpiredRecordsValueStaysWithItsNextHolder(_ engine: TestEngine, change: Int) async throws {
        try await Self.withUsers(engine) { test, store, users in
            try await users.save(Self.user(1, "x"), expires: .after(.seconds(10)))
            var isFirst = true
            func run() async throws {
                try await store.transaction { transaction in
                    switch change {
                    case 0: try await users.update(1, expires: .never, in: transaction) { $0.age = 5 }
                    case 1: try await users.update(1, in: transaction) { $0.email = "y" }
                    case 2: try await users.delete(1, in: transaction)
                    default: try await users.save(Self.user(1, "x"), in: transaction)
                    }
                    if !isFirst { return }
                    isFirst = false
                    test.clock.advance(seconds: 60)
                    _ = try await Task.detached { try await users.save(Self.user(2, "x")) }.value
                }
            }
            if change == 3 { _ = await expectError(.uniqueViolation) { try await run() } } else { try await run() }
            #expect(try await users.first(where: \.email == "x")?.id == 2)
        }
    }

    // MARK: Catalogues

    /// The transaction's view is older than the entries of the index.
    @Test(arguments: TestEngine.allCases)
    func anIndexThatBecomesReadyIsNotReadInAnOlderView(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        _ = try await test.withStore { store in
            try await store.repository(User.plain).save((0..<8).map { Self.user($0, name: "old") })
        }
        try await test.withStore { store in
            let users = try await store.repository(User.definition, maintenance: .manual)
            var isFirst = true
            try await store.transaction { transaction in
                if isFirst {
                    isFirst = false
                    _ = try await Task.detached { try await users.maintain() }.value
                }
                let seen = try await users.fetch(Query(where: \.name == "old"), in: transaction).map(\.id)
                if seen != Array(0..<8) { throw Decision(seen: seen) }
            }
            #expect(users.readyIndexes.contains("name"))
        }
    }

    /// A program that has learnt by a query which indexes another one uses says with its next write that it doesn't
    /// maintain them.
    @Test(arguments: [false, true])
    func aProgramThatDoesNotMaintainAnIndexSaysSo(conflicts: Bool) async throws {
        var behaviour = ConstrainedStore.Behaviour.gentle
        behaviour.spuriousConflicts = conflicts ? 0.6 : 0
        let store = ConstrainedStore(behaviour)
        let first = try await store.repository(User.plain)
        let second = try await store.anotherHandle().repository(User.definition)
        #expect(second.readyIndexes.count == 4)
        if !conflicts { #expect(try await first.fetch(where: \.age == 9).isEmpty) }
        try await first.save(Self.user(3, age: 9))
        #expect(try await second.fetch(where: \.age == 9).map(\.id) == [3])
    }

    // MARK: Transactions of other stores

    @Test(arguments: TestEngine.allCases)
    func aTransactionOfAnotherStoreIsRefused(_ engine: TestEngine) async throws {
        let other = ConstrainedStore()
        try await Self.withUsers(engine) { _, store, users in
            for (number, call) in Self.calls.enumerated() {
                _ = await expectError(.invalidArgument) {
                    try await other.transaction { try await call(users, $0) }
                    Issue.record("call \(number)")
                }
            }
        }
    }

    private static let calls: [@Sendable (Repository<User>, Transaction) async throws -> Void] = [
        { try await $0.save(user(3), in: $1) }, { try await $0.save([user(3)], in: $1) },
        { try await $0.insert(user(3), in: $1) }, { try await $0.insert([user(3)], in: $1) },
        { try await $0.update(1, in: $1) { $0.age += 1 } }, { try await $0.increment(\.age, of: 1, in: $1) },
        { try await $0.delete(1, in: $1) }, { try await $0.delete([1], in: $1) },
        { _ = try await $0.find(by: 1, in: $1) }, { _ = try await $0.fetch(Query(), in: $1) },
        { _ = try await $0.count(Query(where: \.age == 1), in: $1) },
    ]

    // MARK: The end of a body

    @Test(arguments: TestEngine.allCases)
    func aTransactionWhoseBodyHasEndedRefusesEveryCall(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { _, store, users in
            var kept: Transaction?
            try await store.transaction { kept = $0 }
            let transaction = try #require(kept)
            for call in Self.calls {
                let error = await expectError(.invalidArgument) { try await call(users, transaction) }
                #expect(error?.message.hasPrefix("a transaction was used after its body has ended") == true)
            }
            #expect(try await users.find(by: 1)?.age == 0)
        }
    }

    /// A task that the body has started, and not awaited.
    @Test(arguments: TestEngine.allCases) @MainActor
    func aLateSaveIsRefused(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        let store = try await test.open()
        let users = try await store.repository(User.definition)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let late = try await store.transaction { transaction in
            Task {
                for await _ in ends {}
                try await users.save(Self.user(3), in: transaction)
            }
        }.value
        end.finish()
        let error = await #expect(throws: StoreError.self) { try await late.value }
        #expect(error?.code == .invalidArgument)
        #expect(try await users.find(by: 3) == nil)
        try await TestStore.close(store)
        withExtendedLifetime(test) {}
    }

    /// What a call has read counts only as long as no other call of the transaction writes it.
    @Test(arguments: TestEngine.allCases)
    func aRecordIsNotReplacedByWhatWasReadBeforeAnotherSave(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { _, store, users in
            let key = try users.recordKey(1)
            try await store.transaction { transaction in
                for email in ["y", "z"] {
                    let found = try #require(try await users.records(at: [key], in: transaction)[0])
                    try await users.save(Self.user(1, email), in: transaction)
                    _ = await expectError(.invalidArgument) { try await users.replace([found], in: transaction) }
                    _ = await expectError(.invalidArgument) { try await users.delete([found], in: transaction) }
                }
            }
            #expect(try await users.first(where: \.email == "z")?.id == 1)
        }
    }

    // MARK: Writes beside the transaction

    @Test(arguments: TestEngine.allCases)
    func aWriteInsideATransactionIsRefused(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { _, store, users in
            let old = try #require(try await users.findVersioned(by: 1))
            let writes: [@Sendable () async throws -> Void] = [
                { try await users.save(Self.user(1)) }, { try await users.save([Self.user(1), Self.user(2)]) },
                { try await users.insert(Self.user(3)) }, { try await users.insert([Self.user(3)]) },
                { try await users.save(Self.user(1), replacing: old) },
                { try await users.save(Self.user(1), ifRevision: old.revision) },
                { try await users.update(1) { $0.age += 1 } }, { try await users.increment(\.age, of: 1) },
                { try await users.delete(1) }, { try await users.delete([1]) }, { try await users.deleteAll() },
                { try await users.delete(where: \.age == 77) }, { try await users.maintain() },
                { try await store.write(WriteBatch(operations: [.init(key: [1], value: [])]), durability: nil) },
            ]
            var runs = 0
            for (number, write) in writes.enumerated() {
                for form in 0..<2 {
                    let error = await expectError(.invalidArgument) {
                        if form == 0 {
                            try await store.transaction { transaction in
                                runs += 1
                                if runs > 100 { return }
                                _ = try await users.find(by: 1, in: transaction)
                                try await write()
                                try await users.save(Self.user(1), in: transaction)
                            }
                        } else if let store = store as? Store {
                            try await store.transaction { _ in try await write() }
                        } else {
                            let other = ConstrainedStore()
                            try await store.transaction { _ in
                                try await other.transaction { _ in try await write() }
                            }
                        }
                    }
                    let text = "the store was written inside the body of a transaction on it"
                    #expect(error?.message.hasPrefix(text) == true, "write \(number)")
                }
            }
            #expect(runs == writes.count)
            #expect(try await users.find(by: 1) == old.model)
        }
    }

    /// The closure of an update is the body of a transaction, too.
    @Test func aWriteInsideAnUpdateIsRefused() async throws {
        let store = try Store.inMemory()
        let users = try await store.repository(User.plain)
        try await users.save(Self.user(1))
        let key = try users.recordKey(1)
        var runs = 0
        let error = await expectError(.invalidArgument) {
            try await users.update(1) { user in
                runs += 1
                if runs > 20 { return }
                user.age += 1
                try store.blocking.remove(key)
            }
        }
        #expect(error?.message.contains("inside the body of a transaction") == true)
        #expect(runs == 1)
    }

    /// Opening a repository isn't part of the transaction.
    @Test(arguments: TestEngine.allCases)
    func aRepositoryIsOpenedInsideATransaction(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        _ = try await test.withStore { store in
            try await store.repository(User.plain).save((0..<4).map { Self.user($0) })
        }
        try await test.withStore { store in
            let added = RepositoryDefinition<User>("added", indexes: User.definition.indexes)
            let seen = try await store.transaction { transaction in
                let users = try await store.repository(User.definition)
                let others = try await store.repository(added)
                try await others.insert(Self.user(9, "x"), in: transaction)
                return try await users.fetch(Query(where: \.name == "new"), in: transaction).map(\.id)
            }.value
            #expect(seen == [0, 1, 2, 3])
            #expect(try await store.repository(added).first(where: \.email == "x")?.id == 9)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aTaskThatOutlivesTheBodyMaySave(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { _, store, users in
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let late = try await store.transaction { _ in
                Task {
                    for await _ in ends {}
                    try await users.save(Self.user(3))
                    try await users.update(3) { $0.age = 4 }
                    try await store.transaction { try await users.increment(\.age, of: 3, in: $0) }
                }
            }.value
            end.finish()
            try await late.value
            #expect(try await users.find(by: 3)?.age == 5)
        }
    }
}
