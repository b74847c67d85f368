import HeartwoodRepository
import Testing

/// Unique values that a transaction claims and gives up again.
@Suite struct ClaimTests {
    private static func user(_ id: Int, _ email: String?) -> User { User(id: id, name: "n\(id)", email: email) }

    private static func withUsers(
        _ engine: TestEngine, _ body: (any KeyValueStore, Repository<User>) async throws -> Void
    ) async throws {
        try await TestStore(engine).withStore { store in
            let users = try await store.repository(User.definition)
            try await users.save(user(1, "x"))
            try await body(store, users)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func givenUpValueStaysWithItsHolder(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { store, users in
            try await store.transaction { transaction in
                try await users.save(Self.user(2, "x"), in: transaction)
                try await users.save(Self.user(2, "y"), in: transaction)
            }
            _ = await expectError(.uniqueViolation) { try await users.save(Self.user(3, "x")) }
            try await store.transaction { transaction in
                try await users.save(Self.user(4, "x"), in: transaction)
                try await users.delete(4, in: transaction)
            }
            _ = await expectError(.uniqueViolation) { try await users.save(Self.user(3, "x")) }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func givenUpValueCannotBeTakenByAnother(_ engine: TestEngine) async throws {
        try await Self.withUsers(engine) { store, users in
            _ = await expectError(.uniqueViolation) {
                try await store.transaction { transaction in
                    try await users.save(Self.user(2, "x"), in: transaction)
                    try await users.save(Self.user(2, "y"), in: transaction)
                    try await users.save(Self.user(3, "x"), in: transaction)
                }
            }
            let found = try await users.find(by: 3)
            #expect(found == nil)
        }
    }
}
