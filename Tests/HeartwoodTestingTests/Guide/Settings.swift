import Heartwood

/// The settings of a service, kept in memory and in step with the store.
actor Settings {
    private var entries: [[UInt8]: (value: [UInt8], expires: Timestamp?)] = [:]

    func value(of name: String, now: Timestamp = SystemClock().now()) -> String? {
        guard let entry = entries[Array("setting/\(name)".utf8)] else { return nil }
        // An expiry makes no change.
        if let expires = entry.expires, expires <= now { return nil }
        return String(decoding: entry.value, as: UTF8.self)
    }

    /// Follows the store until it is closed, or the task is cancelled.
    func follow(_ store: Store) async throws {
        for try await change in try await load(store) {
            switch change.action {
            case .put(let value, let expires): entries[change.key] = (value, expires)
            case .remove: entries[change.key] = nil
            case .lost: break  // can't come: a store isn't repaired while it is open
            }
        }
    }

    private func load(_ store: Store) async throws -> Changes {
        let following = try await store.follow(in: .prefix("setting/"), level: .visible)
        entries = [:]
        for entry in try following.view.scan(.prefix("setting/")).entries() {
            entries[entry.key] = (entry.value, entry.expires)
        }
        return following.changes
    }
}
