import Heartwood
import HeartwoodRepository
import KeyValueStoreTesting
import Synchronization

@testable import HeartwoodJobs

#if CLUSTER
import ClusterSupport
import HeartwoodEtcd
#endif

/// The engines on which the tests of jobs run: the embedded one, and one with a remote engine's limits and manners,
/// also with writes that fail.
enum JobEngine: CaseIterable, Sendable {
    case embedded, constrained, hostile
    #if CLUSTER
    /// The servers that `Tools/cluster` has started.
    case etcd

    /// Tests/Cluster compiles these files again, for this engine alone.
    static let allCases: [JobEngine] = TestCluster.isThere ? [.etcd] : []
    #endif

    /// Those whose writes don't fail.
    static let reliable = allCases.filter { $0 != .hostile }
    /// Those whose batches are small.
    static let limited = reliable.filter { $0 != .embedded }
}

/// A store of one engine, with a clock that the test moves.
struct JobStore: Sendable {
    let engine: JobEngine
    let clock = SteppedClock()
    private let cluster: ConstrainedStore
    private let configuration: Store.Configuration
    #if CLUSTER
    private let etcd: EtcdStore.Configuration
    #endif

    /// - Parameter commitFailures: Of the hostile engine: how probably a commit fails without being made.
    init(_ engine: JobEngine, seed: UInt64 = 1, commitFailures: Double = 0.05) {
        self.engine = engine
        var behaviour = ConstrainedStore.Behaviour.rough.seeded(seed)
        if engine == .hostile { (behaviour.unknownOutcomes, behaviour.commitFailures) = (0.1, commitFailures) }
        cluster = ConstrainedStore(behaviour, clock: { [clock] in clock.now() })
        var configuration = Store.Configuration()
        configuration.storage = .inMemory()
        configuration.clock = clock
        configuration.durability = .written
        self.configuration = configuration
        #if CLUSTER
        var etcd = TestCluster.configuration()
        etcd.clock = { [clock] in clock.now() }
        self.etcd = etcd
        #endif
    }

    /// Another store object each time, as another program has it; on the embedded engine, which has one, the first call
    /// only.
    nonisolated(nonsending) func open() async throws -> any KeyValueStore {
        #if CLUSTER
        if engine == .etcd { return try await EtcdStore.open(etcd) }
        #endif
        if engine == .embedded { return try await Store.open(at: "/jobs", configuration: configuration) }
        return cluster.anotherHandle()
    }

    /// A store, and a queue in it.
    static func queue(_ engine: JobEngine) async throws -> (test: JobStore, queue: JobQueue) {
        let test = JobStore(engine)
        return (test, try await JobQueue.open(in: test.open()))
    }

    func workers(
        _ queue: JobQueue, count: Int = 2, batch: Int = 1, lease: Duration = .seconds(30),
        grace: Duration = .seconds(20),
        _ handlers: [JobHandler]
    ) -> JobWorkers {
        var configuration = JobWorkers.Configuration(count: count, batch: batch, lease: lease)
        configuration.clock = clock
        configuration.grace = grace
        return JobWorkers(queue, configuration, handlers: handlers)
    }
}

/// Calls `body` again while the engine doesn't say what has become of a write, or can't write.
@discardableResult
func retryingFailures<R>(_ body: () async throws -> R) async throws -> R {
    while true {
        do {
            return try await body()
        } catch let error as StoreError {
            guard error.code == .outcomeUnknown || error.code == .inputOutput else { throw error }
        }
    }
}

struct Mark: Job {
    static let name = "mark"
    var number: Int
}

struct Brittle: Job {
    static let name = "brittle"
    static var options: JobOptions {
        JobOptions(retry: JobRetry(limit: 3, first: .seconds(10), longest: .seconds(60)))
    }
    var failures: Int
}

/// What bodies of jobs have noted, and tasks that wait for it.
final class Notebook<Note: Sendable>: Sendable {
    private let state = Mutex<[Note]>([])

    var notes: [Note] { state.withLock(\.self) }

    func add(_ note: Note) { state.withLock { $0.append(note) } }

    /// - Throws: `CancellationError`, so that a test ends at its time limit.
    func wait(for condition: ([Note]) -> Bool) async throws {
        while !condition(notes) { try await Task.sleep(for: .milliseconds(1)) }
    }

    func wait(count: Int) async throws { try await wait { $0.count >= count } }
}
