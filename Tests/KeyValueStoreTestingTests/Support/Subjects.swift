import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import KeyValueStore
import KeyValueStoreTesting

extension KeyValueStoreConformance.Subject {
    /// Heartwood's store in files of a file system.
    static func store(_ name: String, in fileSystem: any FileSystem, at directory: String) -> Self {
        let clock = TestClock()
        let numbers = Counter()
        let open: @Sendable (Int) throws -> Store = { number in
            try Store(openingAt: "\(directory)/\(number)", configuration: .small(fileSystem, clock))
        }
        let directories = Directories()
        var subject = Self(name) {
            let number = numbers.next()
            let store = try open(number)
            await directories.set(number, of: store)
            return store
        }
        subject.close = { store in
            if let store = store as? Store { try? await store.close() }
        }
        subject.reopen = { store in
            guard let store = store as? Store, let number = await directories.number(of: store) else { return store }
            try await store.close()
            return try open(number)
        }
        subject.advanceClock = { clock.advance(by: $0) }
        return subject
    }

    /// Heartwood's store in memory.
    static func inMemory() -> Self {
        let clock = TestClock()
        var subject = Self("Store.inMemory") {
            var configuration = Store.Configuration()
            configuration.clock = clock
            configuration.maximumValueBytes = 1 << 20
            return try Store.inMemory(configuration: configuration)
        }
        subject.close = { store in
            if let store = store as? Store { try? await store.close() }
        }
        subject.advanceClock = { clock.advance(by: $0) }
        return subject
    }

    /// A constrained store. Each store has another seed.
    static func constrained(_ name: String, _ behaviour: ConstrainedStore.Behaviour) -> Self {
        let clock = TestClock()
        let numbers = Counter()
        var subject = Self(name) {
            ConstrainedStore(behaviour.seeded(UInt64(numbers.next())), clock: { clock.now() })
        }
        subject.close = { store in
            if let store = store as? ConstrainedStore { await store.close() }
        }
        subject.reopen = { store in
            guard let store = store as? ConstrainedStore else { return store }
            await store.close()
            return store.anotherHandle()
        }
        subject.advanceClock = { clock.advance(by: $0) }
        return subject
    }
}

extension Store.Configuration {
    /// Small limits and segments, so that tests reach them.
    fileprivate static func small(_ fileSystem: any FileSystem, _ clock: TestClock) -> Self {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.clock = clock
        configuration.segmentBytes = 64 << 10
        configuration.maximumValueBytes = 1 << 20
        return configuration
    }
}

/// The directories of stores.
private actor Directories {
    private var numbers: [ObjectIdentifier: Int] = [:]

    func set(_ number: Int, of store: Store) { numbers[ObjectIdentifier(store)] = number }
    func number(of store: Store) -> Int? { numbers[ObjectIdentifier(store)] }
}
