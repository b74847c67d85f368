import Heartwood
import HeartwoodService
import HeartwoodTesting
import MetricsTestKit
import ServiceLifecycleTestKit
import Testing

/// What the metrics say.
@Suite(.timeLimit(.minutes(5))) struct StoreMetricsTests {
    private let fixture = ServiceFixture()

    @Test func countersAreThoseOfTheStore() async throws {
        let service = try await fixture.open()
        let store = service.store
        for number in 0..<20 { try await store.put("k\(number)", "value") }
        try await store.remove("k0")
        try await store.compact()
        try await testGracefulShutdown { trigger in
            async let run: Void = service.run()
            trigger.triggerGracefulShutdown()
            try await run
        }
        let end = store.statistics
        #expect(fixture.total("records") == 21 && fixture.total("batches") == 21)
        #expect(fixture.total("accepted.bytes") == Int64(end.acceptedBytes))
        #expect(fixture.total("commits") == Int64(end.commits))
        #expect(fixture.total("log.written.bytes") == Int64(end.writtenBytes))
        #expect(fixture.total("compaction.written.bytes") > 0)
        #expect(fixture.total("syncs") == Int64(end.syncs))
        #expect(fixture.total("compactions", [("outcome", "completed")]) == 1)
        #expect(fixture.total("compactions", [("outcome", "failed")]) == 0)
        #expect(fixture.gauge("index.keys") == 19)
        #expect(fixture.gauge("snapshot.bytes").map { $0 > 0 } == true)
        #expect(fixture.gauge("recovery.seconds") != nil)
    }

    /// Each sync is one value of the histograms; together they have every batch.
    @Test func eachSyncIsRecorded() async throws {
        let service = try await fixture.open(options: { $0.slowSync = .zero })
        for number in 0..<20 { try await service.store.put("k\(number)", "value") }
        try await service.store.close()
        let dimensions = [("store", "test")]
        let durations = try fixture.metrics.expectTimer("heartwood.sync.duration", dimensions).values
        let batches = try fixture.metrics.expectRecorder("heartwood.sync.batches", dimensions).values
        let bytes = try fixture.metrics.expectRecorder("heartwood.sync.bytes", dimensions).values
        #expect(durations.count == batches.count && bytes.count == batches.count)
        #expect(batches.reduce(0, +) == 20)
        #expect(fixture.total("sync.slow") == Int64(durations.count))
    }

    @Test func aFailedCompactionIsCounted() async throws {
        let service = try await fixture.open()
        try await service.store.put("a", "1")
        fixture.disk.inject(Fault(.sync, .error(5), path: "new.snapshot.tmp"))
        #expect(await error { _ = try await service.store.compact() } != nil)
        #expect(fixture.total("compactions", [("outcome", "failed")]) == 1)
        try await service.store.close()
    }

    /// Metrics are made once: a lookup for each value would cost more than the value.
    @Test func metricsAreMadeAtTheOpening() async throws {
        let service = try await fixture.open()
        let made = fixture.metrics.counters.count + fixture.metrics.recorders.count + fixture.metrics.timers.count
        let handlers = Set(fixture.metrics.counters.map { ObjectIdentifier($0) })
        for number in 0..<20 { try await service.store.put("k\(number)", "value") }
        try await testGracefulShutdown { trigger in
            async let run: Void = service.run()
            trigger.triggerGracefulShutdown()
            try await run
        }
        #expect(fixture.metrics.counters.count + fixture.metrics.recorders.count + fixture.metrics.timers.count == made)
        #expect(Set(fixture.metrics.counters.map { ObjectIdentifier($0) }) == handlers)
    }

    /// Exactly one state is 1, at every report.
    @Test func theStateIsOneOfFour() async throws {
        let service = try await fixture.open()
        let names = ["ready", "out_of_space", "failed", "closed"]
        #expect(names.compactMap { fixture.gauge("state", [("state", $0)]) } == [1, 0, 0, 0])
        async let end = error { try await service.run() }
        fixture.failSync()
        _ = await error { try await service.store.put("b", "1") }
        _ = await end
        #expect(names.compactMap { fixture.gauge("state", [("state", $0)]) } == [0, 0, 0, 1])
    }

    @Test func noMetricsAreMadeWithoutAFactory() async throws {
        let service = try await fixture.open(options: { $0.metrics = nil })
        try await service.store.put("a", "1")
        try await service.store.close()
        #expect(fixture.metrics.counters.isEmpty && fixture.metrics.recorders.isEmpty)
    }
}
