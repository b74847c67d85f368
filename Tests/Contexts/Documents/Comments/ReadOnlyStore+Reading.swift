// The example of a documentation comment in Sources/Heartwood/ReadOnly/ReadOnlyStore+Reading.swift.
// swift-format-ignore-file
import Heartwood

func filesExample(_ store: ReadOnlyStore) async throws {
    let view = try store.readView()
    print(try view.scan(.prefix("user:")).count())
    for try await change in store.changes(after: view.position, in: .prefix("user:")) { print(change.key) }
}
