internal import Heartwood

/// Opens a store after the last reference to it was dropped.
///
/// Another thread may release that reference a little later; until then the store is locked.
func openWhenUnlocked(_ open: () async throws -> Store) async throws -> Store {
    for _ in 0..<1_000 {
        do { return try await open() } catch let error as StoreError where error.code == .locked {}
        try await Task.sleep(for: .milliseconds(10))
    }
    return try await open()
}
