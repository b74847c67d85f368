import ClusterSupport
import HeartwoodEtcd
import KeyValueStore
import KeyValueStoreTesting
import Testing

/// An etcd cluster passes the suite. Each check has its own stores and its own clock.
@Suite(.onCluster)
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
        let clock = MovedClock()
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
        subject.advanceClock = { time in clock.move { $0 += time } }
        return subject
    }
}
