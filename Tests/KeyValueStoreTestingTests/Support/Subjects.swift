import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import KeyValueStore
import KeyValueStoreTesting

/// The engines of this package.
enum Engine: CaseIterable {
    case storeOnDisk, storeOnSimulatedDisk, storeInMemory, gentleConstrainedStore, roughConstrainedStore
}

extension KeyValueStoreConformance.Subject {
    /// An engine with a clock of its own.
    ///
    /// - Parameter directory: Where a store on disk has its files.
    init(_ engine: Engine, in directory: String) {
        let (clock, numbers) = (TestClock(), Counter())
        var small = Store.Configuration()
        // Small limits and segments, so that tests reach them.
        (small.clock, small.segmentBytes, small.maximumValueBytes) = (clock, 64 << 10, 1 << 20)
        small.fileSystem = engine == .storeOnDisk ? POSIXFileSystem() : SimulatedDisk(seed: 1)
        let configuration = small
        self.init("\(engine)") { () -> any KeyValueStore in
            let number = numbers.next()
            // Each constrained store has another seed.
            let behaviour = engine == .gentleConstrainedStore ? ConstrainedStore.Behaviour.gentle : .rough
            return switch engine {
            case .storeOnDisk: try Store(openingAt: "\(directory)/\(number)", configuration: configuration)
            case .storeOnSimulatedDisk: try Store(openingAt: "/\(number)", configuration: configuration)
            case .storeInMemory: try Store.inMemory(configuration: configuration)
            case .gentleConstrainedStore, .roughConstrainedStore:
                ConstrainedStore(behaviour.seeded(UInt64(number)), clock: { clock.now() })
            }
        }
        close = { store in
            try? await (store as? Store)?.close()
            await (store as? ConstrainedStore)?.close()
        }
        advanceClock = { clock.advance(by: $0) }
        if engine == .storeInMemory { return }
        reopen = { [close] store in
            await close(store)
            if let store = store as? ConstrainedStore { return store.anotherHandle() }
            return try Store(openingAt: (store as? Store)?.path ?? "", configuration: configuration)
        }
    }
}
