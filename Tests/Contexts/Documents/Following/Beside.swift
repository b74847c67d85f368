// A Swift block of Documentation/Following.md.
// swift-format-ignore-file
import Heartwood

func besideExample() async throws {
    let store = try await ReadOnlyStore.open(at: "app.store")
    let view = try store.readView()
    print(try view.count(in: .prefix("user:")), "users")
    for try await change in store.changes(after: view.position, in: .prefix("user:")) {
        print(String(decoding: change.key, as: UTF8.self), change.sequence)
    }
}
