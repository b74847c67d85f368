// The example of a documentation comment in Sources/KeyValueStore/Values/EntryPage.swift.
// swift-format-ignore-file
import Heartwood

func showUsers(_ view: ReadView) async throws {
    var rest: KeyRange? = .prefix("user:")
    while let range = rest {
        let page = try await view.fetchEntries(in: range, limit: 100)
        for entry in page.entries { print(entry.key.count, entry.value.count) }
        rest = page.next
    }
}
