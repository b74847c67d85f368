internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem

/// Stores that do the same in every run: the log writer's delays stand still, so that it commits when it is told to and
/// sleeps while operations are counted, and nothing is compacted but on demand.
enum SteadyStore {
    /// The configuration of all of them.
    static func configuration(_ fileSystem: any FileSystem, _ reading: ValueReading = .positioned)
        -> Store.Configuration
    {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.valueReading = reading
        configuration.compaction = .manual
        configuration.clock = ManualClock(milliseconds: 1_700_000_000_000)
        configuration.delays = .manual(ManualDelays())
        // Writers ask for a commit at a quarter of it: more than operations that are counted write.
        configuration.commitBufferBytes = 64 << 20
        return configuration
    }

    /// A store that has these keys, and is open; with room laid for four megabytes of log, so that nobody waits for it.
    static func open(
        _ fileSystem: any FileSystem, at path: String, _ keys: [[UInt8]]
    ) async throws -> Store {
        let store = try Store(openingAt: path, configuration: configuration(fileSystem))
        try await fill(store, keys)
        // The first write of a commit wakes the log writer, who finds that it isn't time yet.
        try await store.put("first", "", durability: .buffered)
        store.settle()
        return store
    }

    /// Makes a store of these keys and closes it.
    static func make(
        _ fileSystem: any FileSystem, at path: String, _ keys: [[UInt8]], isCompacted: Bool = false
    ) async throws {
        let store = try Store(openingAt: path, configuration: configuration(fileSystem))
        try await fill(store, keys)
        if isCompacted { try await store.compact() }
        try await store.close()
    }

    /// Opens one that was made, and waits until its threads sleep.
    static func reopen(
        _ fileSystem: any FileSystem, at path: String, _ reading: ValueReading = .positioned
    ) throws -> Store {
        let store = try Store(openingAt: path, configuration: configuration(fileSystem, reading))
        store.settle()
        return store
    }

    /// Each key by a put of its own, a hundred to a commit.
    private static func fill(_ store: Store, _ keys: [[UInt8]]) async throws {
        for (number, key) in keys.enumerated() {
            let value = CountedData.values[number % CountedData.values.count]
            try await store.put(key, value, durability: .buffered)
            if number % 100 == 99 || number == keys.count - 1 { try await store.flush() }
        }
        store.settle()
    }
}
