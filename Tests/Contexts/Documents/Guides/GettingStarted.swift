// Blocks of GettingStarted.md, with the spacing that they have there. Tools/contexts compiles them.
// swift-format-ignore-file
import Heartwood

func serve(_ store: Store) async throws {}

func open() async throws {
    var configuration = Store.Configuration()
    configuration.createIfMissing = false           // a wrong path is an error, and not an empty store
    configuration.compression = .zlib(level: 1)
    try await Store.withStore(at: "app.store", configuration: configuration) { store in
        try await serve(store)
    }                                               // closed, also after an error
}

func handle(_ store: Store) async throws(StoreError) {
    do {
        try await store.put("user:1", "Ada", if: .absent)
    } catch {
        switch error.code {
        case .conflict: print("there is a user 1")
        case .outOfSpace: print("no space: nothing was written, and reads work")
        case .outcomeUnknown: print("the disk failed: the write may have happened")
        default: throw error
        }
    }
}
