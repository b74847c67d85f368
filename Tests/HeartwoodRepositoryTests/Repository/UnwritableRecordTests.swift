import HeartwoodRepository
import Testing

/// Records that maintenance can't write again.
@Suite struct UnwritableRecordTests {
    /// As a violation is: it stops neither the other indexes nor the other records.
    @Test(arguments: TestEngine.allCases)
    func aValueTooLongForAKeyIsListedAndOtherIndexesGetReady(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        let limit = try await test.withStore { $0.limits.keyBytes }
        // On engines with other limits a record with such a value is too large.
        guard limit < 70_000 else { return }
        let long = String(repeating: "x", count: 70_000)
        let definition = RepositoryDefinition<User>(
            "users", indexes: [Index("name", \.name), .unique("email", \.email), Index("age", \.age)])
        try await test.withStore { store in
            let users = try await store.repository(User.plain)
            try await users.save((0..<10).map { User(id: $0, name: "n", email: "\($0)", age: $0) })
            try await users.update(3) { $0.name = long }
            try await users.update(4) { $0.email = long }
        }
        try await test.withStore { store in
            let error = await expectError(.invalidArgument) { _ = try await store.repository(definition) }
            #expect(error?.message.contains("record 3 of \"users\"") == true)
            let users = try await store.repository(definition, maintenance: .manual)
            let report = try await users.maintain()
            let keys = report.unwritable.compactMap { $0.cause as? OversizedKey }
            #expect(keys.map(\.record) == [.int(3), .int(4)])
            #expect(keys.map(\.index) == ["name", "email"])
            #expect(keys.allSatisfy { $0.repository == "users" && $0.limit == limit && $0.bytes > limit })
            #expect(report.unwritable.allSatisfy { !$0.message.contains("xxx") })
            #expect(Set(report.unready) == ["name", "email"])
            #expect(users.readyIndexes == ["age"])
            #expect(try await users.fetch(where: \.name == long).map(\.id) == [3])
            #expect(try await users.fetch(where: \.age >= 3, limit: 2).map(\.id) == [3, 4])
            #expect(try await store.verifyRepositories().isClean)
            // Such a value can't be saved either.
            let refused = await expectError(.invalidArgument) {
                try await users.save(User(id: 5, name: long, email: "5"))
            }
            #expect((refused?.cause as? OversizedKey)?.index == "name")
            #expect(refused?.message.contains("the record 5 of \"users\"") == true)
            try await users.update(3) { $0.name = "short" }
            try await users.delete(4)
            #expect(try await users.maintain().isComplete)
            #expect(users.readyIndexes.count == 3)
            #expect(try await users.verify().isClean)
            // No record can have it.
            #expect(try await users.fetch(where: \.name == long).isEmpty)
            #expect(try await users.count(where: \.name >= long) == 0)
        }
    }

    @Test func anIDTooLongForAKeyIsNamed() async throws {
        struct Named: Codable, Identifiable, Sendable { var id: String }
        try await TestStore(.memory).withStore { store in
            let all = try await store.repository(of: Named.self, named: "named")
            let error = await expectError(.invalidArgument) {
                try await all.save(Named(id: String(repeating: "x", count: 70_000)))
            }
            #expect(error?.message.contains("an id of \"named\" makes a key of") == true)
            #expect(error?.message.contains("xxx") == false)
        }
    }

    /// A record that can't be written again is listed, and the others are.
    @Test(arguments: TestEngine.allCases)
    func aRecordThatCannotBeEncodedIsListed(_ engine: TestEngine) async throws {
        struct Old: Codable, Identifiable, Sendable {
            var id: Int
            var parts: Double
        }
        struct New: Codable, Identifiable, Sendable {
            var id: Int
            var share: Double

            init(_ old: Old) { (id, share) = (old.id, old.parts) }

            private enum CodingKeys: CodingKey { case id, parts, share }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                share = try 1 / container.decode(Double.self, forKey: .parts)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(1 / share, forKey: .parts)
                try container.encode(share, forKey: .share)
            }
        }
        let test = TestStore(engine)
        try await test.withStore { store in
            let old = try await store.repository(of: Old.self, named: "shares")
            try await old.save((0..<6).map { Old(id: $0, parts: Double($0)) })
        }
        try await test.withStore { store in
            let new = try await store.repository(
                of: New.self, named: "shares", indexes: [Index("share", \.share)], maintenance: .manual)
            let report = try await new.maintain()
            #expect(report.unwritable.count == 1)
            #expect(report.unwritable.first?.message.contains("record 0 of \"shares\"") == true)
            #expect(report.rewritten == 5)
            #expect(report.unready == ["share"])
            try await new.delete(0)
            #expect(try await new.maintain().isComplete)
        }
    }
}
