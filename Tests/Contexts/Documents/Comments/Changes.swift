// The example of a documentation comment in Sources/Heartwood/Changes/Changes.swift.
// swift-format-ignore-file
import Heartwood

func feedExample(_ store: Store, _ position: inout ChangePosition, _ apply: (Change) -> Void) async throws {
    for try await change in store.changes(after: position, level: .durable) {
        apply(change)
        if change.isLastOfBatch { position = change.position }
    }
}
