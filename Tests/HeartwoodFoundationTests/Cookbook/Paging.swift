import Heartwood

/// Up to `size` users after one, in order; the last name of a page is where the next one begins.
func users(after name: String?, size: Int, in store: Store) throws -> [String] {
    var range = KeyRange.prefix("user:")
    if let name { range = range.after("user:\(name)") }
    return try store.scan(range).keys.prefix(size).map { key in
        String(decoding: key.dropFirst("user:".utf8.count), as: UTF8.self)
    }
}

/// The messages of a room, newest first, in pages of one state of the store.
func messages(of room: String, pageSize: Int, in store: Store) async throws -> [[String]] {
    let view = try store.readView()
    var pages: [[String]] = []
    var rest: KeyRange? = .prefix("message:\(room):")
    while let range = rest {
        let page = try await view.fetchEntries(in: range, reversed: true, limit: pageSize)
        if !page.entries.isEmpty { pages.append(page.entries.map { String(decoding: $0.value, as: UTF8.self) }) }
        rest = page.next
    }
    return pages
}

/// Removes a room's messages, in one write.
func removeMessages(of room: String, in store: Store) async throws -> Int {
    try await store.remove(in: .prefix("message:\(room):")).value
}
