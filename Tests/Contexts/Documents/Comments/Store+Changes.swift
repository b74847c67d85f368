// The examples of documentation comments in Sources/Heartwood/Store+Changes.swift, with the spacing that they have
// there.
// swift-format-ignore-file
import Heartwood

func ownPositionExample(_ store: Store, _ bytes: [UInt8]) async throws {
    let start = store.position                      // before the next write
    let number = try await store.put("user:1", bytes)
    for try await change in store.changes(after: start) where change.sequence == number { break }
}

func changesExample(_ store: Store, _ text: String?) async throws {
    let stored = text.flatMap { ChangePosition($0) }        // what was stored with the changes; nil at first
    for try await change in store.changes(after: stored, in: .prefix("user:")) {
        print(change.key, change.action, change.position)
    }
}

/// An index of another program.
struct UserIndex {
    private var entries: [[UInt8]: [UInt8]] = [:]

    mutating func add(_ entry: Entry) { entries[entry.key] = entry.value }
    mutating func apply(_ change: Change) { entries[change.key] = change.value }
}

func followExample(_ store: Store) async throws {
    var index = UserIndex()
    let following = try await store.follow(in: .prefix("user:"), level: .durable)
    for try await entry in following.view.scan(.prefix("user:")) { index.add(entry) }
    for try await change in following.changes { index.apply(change) }
}
