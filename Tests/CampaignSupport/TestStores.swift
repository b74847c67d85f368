package import Heartwood
package import HeartwoodFileSystem

/// Opens a store after the last reference to it was dropped.
///
/// Another thread may release that reference a little later; until then the store is locked.
package func openWhenUnlocked(_ open: () async throws -> Store) async throws -> Store {
    for _ in 0..<1_000 {
        do { return try await open() } catch let error as StoreError where error.code == .locked {}
        try await Task.sleep(for: .milliseconds(10))
    }
    return try await open()
}

extension Store.Configuration {
    /// Small segments and buffers, and nothing that happens without a request.
    package static func quiet(
        _ fileSystem: any FileSystem, _ clock: any StoreClock, _ delays: ManualDelays = ManualDelays()
    ) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.clock = clock
        configuration.segmentBytes = 16 << 10
        configuration.commitBufferBytes = 64 << 10
        configuration.compaction = .manual
        configuration.delays = .manual(delays)
        return configuration
    }
}
