import ClusterSupport
import Foundation
import HeartwoodEtcd
import KeyValueStore
import KeyValueStoreTesting
import Synchronization
import Testing

/// An etcd cluster passes the suite. Each check has its own stores and its own clock.
@Suite(.enabled(if: TestCluster.isThere, Comment(rawValue: TestCluster.hint)))
struct ConformanceTests {
    @Test(arguments: ConformanceCheck.all)
    func linearizable(_ check: ConformanceCheck) async throws {
        #expect(try await check.run(on: subject(.linearizable)) == .passed)
    }

    @Test(arguments: ConformanceCheck.all)
    func serializable(_ check: ConformanceCheck) async throws {
        #expect(try await check.run(on: subject(.serializable)) == .passed)
    }

    private func subject(_ reads: EtcdStore.Configuration.Consistency) -> KeyValueStoreConformance.Subject {
        let clock = TestClock()
        var subject = KeyValueStoreConformance.Subject("EtcdStore") {
            var configuration = TestCluster.configuration()
            configuration.reads = reads
            configuration.clock = { clock.now }
            return try await EtcdStore.open(configuration)
        }
        subject.close = { await ($0 as? EtcdStore)?.close() }
        subject.reopen = { store in
            guard let store = store as? EtcdStore else { return store }
            await store.close()
            return try await EtcdStore.open(store.configuration)
        }
        subject.advanceClock = { clock.advance(by: $0) }
        return subject
    }
}

/// The system's time, and what a test adds.
final class TestClock: Sendable {
    private let advanced = Mutex(Duration.zero)

    var now: Timestamp {
        let since1970 = Duration.milliseconds(Int64(Date.now.timeIntervalSince1970 * 1_000))
        return Timestamp(milliseconds: 0) + (since1970 + advanced.withLock { $0 })
    }

    func advance(by duration: Duration) { advanced.withLock { $0 += duration } }
}
