import HeartwoodRepository
import Testing

/// What calls read, counted: twice as many records may cost little more than twice as much. Batches are small, so that
/// there are many.
@Suite struct CostTests {
    private static let indexes: [Index<User>] = [Index("age", \.age), Index("tag", .each(\.tags))]

    private func filled(_ count: Int, operations: Int = 64) async throws -> (CountingStore, Repository<User>) {
        let store = try CountingStore(operations: operations)
        let users = try await store.repository(of: User.self, named: "users", indexes: Self.indexes)
        for start in stride(from: 0, to: count, by: 10) {
            try await users.save((start..<start + 10).map { User(id: $0, name: "\($0 % 7)", age: $0 &* 7919 % 1_009) })
        }
        return (store, users)
    }

    /// What is read with twice as many records, for each read with `count`.
    private func growth(
        _ count: Int, _ body: (CountingStore, Repository<User>) async throws -> Void
    ) async throws -> Double {
        var reads: [Int] = []
        for count in [count, 2 * count] {
            let (store, users) = try await filled(count)
            let before = store.reads
            try await body(store, users)
            reads.append(store.reads - before)
        }
        return Double(reads[1]) / Double(reads[0])
    }

    @Test func deletingByAFilterReadsEachRecordOnce() async throws {
        for filter: Filter<User> in [\.age >= 0, \.name != "x", \.age >= 0 || .contains(\.tags, "x")] {
            #expect(try await growth(400) { _, users in try await users.delete(where: filter) } < 2.1)
        }
        #expect(try await growth(400) { _, users in try await users.deleteAll() } < 2.1)
        let (_, users) = try await filled(300)
        #expect(try await users.delete(where: \.age >= 500) == 152)
        #expect(try await users.count(where: \.age < 500) == 148)
        #expect(try await users.delete(where: \.age < 500 || \.age < 600 || .isIn(\.id, [1, 2])) == 148)
        #expect(try await users.count() == 0)
        #expect(try await users.verify().isClean)
    }

    @Test func maintenanceAndVerificationReadEachRecordAFixedNumberOfTimes() async throws {
        #expect(try await growth(400) { _, users in _ = try await users.verify() } < 2.1)
        var reads: [Int] = []
        for count in [400, 800] {
            // The first definition must be let go of.
            let store = try await filled(count).0
            let before = store.reads
            let users = try await store.repository(
                of: User.self, named: "users", indexes: Self.indexes + [Index("name", \.name)])
            #expect(try await users.count(where: \.name == "3") > 0)
            reads.append(store.reads - before)
        }
        #expect(Double(reads[1]) < 2.1 * Double(reads[0]))
    }

    /// Pages of a range in a transaction that has written many of its keys.
    @Test func pagesInATransactionReadWhatTheyPassOver() async throws {
        func reads(_ count: Int) async throws -> Int {
            let store = try CountingStore(operations: .max)
            func key(_ number: Int) -> [UInt8] { [7, UInt8(number >> 8), UInt8(number & 255)] }
            for start in stride(from: 0, to: count, by: 100) {
                var batch = WriteBatch()
                for number in start..<start + 100 { batch.put(key(number), [1]) }
                _ = try await store.write(batch, durability: nil)
            }
            let before = store.reads
            try await store.transaction { transaction in
                for number in stride(from: 0, to: count, by: 2) { try transaction.remove(key(number)) }
                for number in stride(from: 1, to: count, by: 4) { try transaction.put(key(number), [2]) }
                for reversed in [false, true] {
                    var (rest, found): (KeyRange?, [[UInt8]]) = (.prefix([7]), [])
                    while let range = rest {
                        let page = try await transaction.fetchEntries(in: range, reversed: reversed, limit: 10)
                        found += page.entries.map(\.key)
                        rest = page.next
                    }
                    let expected = stride(from: 1, to: count, by: 2).map(key)
                    #expect(found == (reversed ? expected.reversed() : expected))
                }
            }
            return store.reads - before
        }
        #expect(Double(try await reads(1_600)) < 2.1 * Double(try await reads(800)))
    }

    @Test func aRecordWithManyIndexEntriesIsVerifiedWithFewReadsOfIt() async throws {
        let (store, users) = try await filled(0, operations: .max)
        let tags = (0..<1_000).map { "tag \($0)" }
        try await users.save(User(id: 1, name: "Ada", tags: tags))
        let before = store.readBytes
        _ = try await users.find(by: 1)
        let once = store.readBytes - before
        #expect(try await users.verify().isClean)
        #expect(store.readBytes - before < 10 * once)
        // A change of most of them.
        try await users.save(User(id: 1, name: "Ada", tags: Array(tags[..<300]) + tags.map { $0 + "x" }))
        #expect(try await users.verify().isClean)
        #expect(try await users.fetch(where: .contains(\.tags, "tag 299x")).map(\.id) == [1])
        #expect(try await users.fetch(where: .contains(\.tags, "tag 300")).isEmpty)
    }
}
