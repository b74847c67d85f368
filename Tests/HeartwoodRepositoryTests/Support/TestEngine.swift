import Foundation
import Heartwood
import HeartwoodRepository
import HeartwoodTesting
import KeyValueStoreTesting
import Synchronization
import Testing

#if CLUSTER
import ClusterSupport
import HeartwoodEtcd
#endif

/// The engines on which every test of the typed layer runs.
enum TestEngine: String, CaseIterable, CustomTestStringConvertible {
    case disk, memory, simulatedDisk, constrained
    #if CLUSTER
    /// The servers that `Tools/cluster` has started.
    case etcd

    /// Tests/Cluster compiles these files again, for this engine alone.
    static let allCases: [TestEngine] = TestCluster.isThere ? [.etcd] : []
    #endif

    var testDescription: String { rawValue }

    /// One of the engines, for a test that chooses it at random.
    static func chosen(by seed: UInt64) -> TestEngine {
        allCases.isEmpty ? .memory : allCases[Int(seed % UInt64(allCases.count))]
    }
}

/// A store that a test uses, on one of the engines; closed and opened again at will.
final class TestStore: Sendable {
    let engine: TestEngine
    let clock: TestClock
    private let directory: String
    private let disk: SimulatedDisk
    private let configuration: Store.Configuration
    private let cluster: ConstrainedStore
    #if CLUSTER
    private let etcd: EtcdStore.Configuration
    #endif

    init(_ engine: TestEngine, seed: UInt64 = 1, clock: TestClock = TestClock(), image: DiskImage = DiskImage()) {
        (self.engine, self.clock) = (engine, clock)
        disk = SimulatedDisk(image: image, seed: seed)
        directory = NSTemporaryDirectory() + "heartwood-repository-" + UUID().uuidString
        var configuration = Store.Configuration()
        configuration.clock = clock
        // Tests are about what is written, not about what survives the machine, except in the crash tests.
        configuration.durability = .written
        if engine == .memory { configuration.storage = .inMemory() }
        if engine == .simulatedDisk { configuration.storage = disk.storage }
        self.configuration = configuration
        cluster = ConstrainedStore(.rough.seeded(seed), clock: { [clock] in clock.now() })
        #if CLUSTER
        var etcd = TestCluster.configuration()
        etcd.clock = { [clock] in clock.now() }
        self.etcd = etcd
        #endif
    }

    deinit {
        if engine == .disk { try? FileManager.default.removeItem(atPath: directory) }
    }

    /// The store, open; another object at each call.
    nonisolated(nonsending) func open() async throws -> any KeyValueStore {
        if engine == .constrained { return cluster.anotherHandle() }
        #if CLUSTER
        if engine == .etcd { return try await EtcdStore.open(etcd) }
        #endif
        return try await Store.open(at: engine == .disk ? directory : "/store", configuration: configuration)
    }

    /// What a power loss now leaves of the simulated disk; nil on other engines.
    func crashed(seed: UInt64) -> TestStore? {
        guard engine == .simulatedDisk else { return nil }
        return TestStore(engine, seed: seed, clock: clock, image: disk.crash().image)
    }

    /// Opens the store, calls `body` with it, and closes it.
    nonisolated(nonsending) func withStore<R>(_ body: (any KeyValueStore) async throws -> R) async throws -> R {
        let store = try await open()
        let result: R
        do {
            result = try await body(store)
        } catch {
            try? await Self.close(store)
            throw error
        }
        try await Self.close(store)
        return result
    }

    /// The same, with its repository of users.
    @discardableResult
    nonisolated(nonsending) func withUsers<R>(
        _ body: (any KeyValueStore, Repository<User>) async throws -> R
    ) async throws -> R {
        try await withStore { store in try await body(store, try await store.repository(User.definition)) }
    }

    nonisolated(nonsending) static func close(_ store: any KeyValueStore) async throws {
        if let store = store as? Store { try await store.close() }
        if let store = store as? ConstrainedStore { await store.close() }
        #if CLUSTER
        if let store = store as? EtcdStore { await store.close() }
        #endif
    }
}

/// A clock that a test moves.
final class TestClock: StoreClock {
    private let milliseconds = Atomic<UInt64>(1_700_000_000_000)

    func now() -> Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .relaxed)) }
    func advance(seconds: UInt64) { milliseconds.add(seconds * 1_000, ordering: .relaxed) }
    func setBack(seconds: UInt64) { milliseconds.subtract(seconds * 1_000, ordering: .relaxed) }
}

/// Calls `body` again while the engine says that its view has ended, as a program must.
func retryingEndedViews<R>(_ body: () async throws -> R) async throws -> R {
    while true {
        do {
            return try await body()
        } catch let error as StoreError where error.code == .viewEnded {}
    }
}
