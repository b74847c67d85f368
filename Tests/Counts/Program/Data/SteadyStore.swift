internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem

/// Stores that do the same in every run: with manual delays the log writer commits only on request and sleeps while
/// operations are counted, and compactions run only on request.
enum SteadyStore {
    static func configuration(_ fileSystem: any FileSystem, _ reading: ValueReading = .positioned)
        -> Store.Configuration
    {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.valueReading = reading
        configuration.compaction = .manual
        configuration.clock = ManualClock(milliseconds: 1_700_000_000_000)
        configuration.delays = .manual(ManualDelays())
        // Writers request a commit when a quarter of it is full, which is more than the counted operations write.
        configuration.commitBufferBytes = 64 << 20
        return configuration
    }

    /// Opens a store with these keys. 4 MiB of its log are preallocated, so that no caller waits for space.
    static func open(
        _ fileSystem: any FileSystem, at path: String, _ keys: [[UInt8]],
        observer: (@Sendable (StoreEvent) -> Void)? = nil
    ) async throws -> Store {
        var configuration = configuration(fileSystem)
        configuration.observer = observer
        let store = try Store(openingAt: path, configuration: configuration)
        try await fill(store, keys)
        // The first write of a commit wakes the log writer, which finds that the delay isn't over.
        try await store.put("first", "", durability: .buffered)
        store.settle()
        return store
    }

    /// Makes a store with these keys and closes it.
    static func make(
        _ fileSystem: any FileSystem, at path: String, _ keys: [[UInt8]], isCompacted: Bool = false
    ) async throws {
        let store = try Store(openingAt: path, configuration: configuration(fileSystem))
        try await fill(store, keys)
        if isCompacted { try await store.compact() }
        try await store.close()
    }

    /// Opens an existing store, and waits until its threads sleep.
    static func reopen(
        _ fileSystem: any FileSystem, at path: String, _ reading: ValueReading = .positioned
    ) throws -> Store {
        let store = try Store(openingAt: path, configuration: configuration(fileSystem, reading))
        store.settle()
        return store
    }

    /// Puts each key, with a hundred puts in a commit.
    private static func fill(_ store: Store, _ keys: [[UInt8]]) async throws {
        for (number, key) in keys.enumerated() {
            let value = CountedData.values[number % CountedData.values.count]
            try await store.put(key, value, durability: .buffered)
            if number % 100 == 99 || number == keys.count - 1 { try await store.sync() }
        }
        store.settle()
    }
}
