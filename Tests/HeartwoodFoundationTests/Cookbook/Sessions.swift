import Heartwood

/// Sessions that end half an hour after they were last used.
struct Sessions {
    let store: Store
    let length = Duration.seconds(30 * 60)

    func begin(_ id: String, user: String) async throws {
        try await store.put("session:\(id)", user, expires: .after(length))
    }

    /// The user, and another half hour; nil where the session has ended.
    func use(_ id: String) async throws -> String? {
        guard let user = try await store.fetch("session:\(id)") else { return nil }
        try await store.touch("session:\(id)", expires: .after(length), durability: .buffered)
        return String(decoding: user, as: UTF8.self)
    }

    /// When a session ends; its value isn't read.
    func end(of id: String) throws -> Timestamp? {
        try store.expiry(of: "session:\(id)")?.timestamp
    }
}
