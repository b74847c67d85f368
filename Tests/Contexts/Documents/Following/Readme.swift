// A Swift block of README.md, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

func readmeExample(_ store: Store) async throws {
    let following = try await store.follow(in: .prefix("user:"))    // a view, and every change after it
    print(try following.view.count(in: .prefix("user:")), "users")
    for try await change in following.changes {                     // waits for the next write
        print(String(decoding: change.key, as: UTF8.self), change.position)
    }
}
