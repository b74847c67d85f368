import Heartwood
import HeartwoodService
import HeartwoodTesting
import InMemoryLogging
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

/// A store as a member of a service group.
@Suite(.timeLimit(.minutes(5))) struct StoreServiceTests {
    private let fixture = ServiceFixture()

    /// Writes until the group shuts down, and some more while it does.
    private struct Writer: Service {
        let store: Store

        func run() async throws {
            try? await cancelWhenGracefulShutdown {
                for number in 0... {
                    try Task.checkCancellation()
                    try await store.put("k\(number)", "value")
                }
            }
            try await store.put("last", "value")
        }
    }

    @Test func theStoreIsClosedAfterThoseThatWrite() async throws {
        let service = try await fixture.open()
        let group = ServiceGroup(
            services: [service, Writer(store: service.store)], logger: Logger(label: "test") { _ in fixture.log })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            while service.store.statistics.keys < 10 { await Task.yield() }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(service.store.statistics.state == .closed)
        #expect(fixture.gauge("state", [("state", "closed")]) == 1)
        // Closed in order, with everything that was acknowledged.
        let again = try await fixture.open()
        #expect(again.store.statistics.recovery.tail == .closed)
        #expect(try again.store.contains("last"))
        try await again.store.close()
    }

    @Test func aFailedStoreEndsTheGroupWithItsReason() async throws {
        let service = try await fixture.open()
        let store = service.store
        let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in fixture.log })
        async let end = error { try await group.run() }
        try await store.put("a", "1")
        fixture.failSync()
        let write = await error { try await store.put("b", "1") }
        #expect(write?.code == .outcomeUnknown)
        let reason = try #require(await end)
        #expect(reason.code == .outcomeUnknown)
        #expect(reason.message == write?.message)
        #expect(store.statistics.state == .closed)
    }

    @Test func aStoreThatOtherCodeClosesEndsTheGroup() async throws {
        let service = try await fixture.open()
        async let end = error { try await service.run() }
        try await service.store.close()
        #expect(await end?.code == .closed)
    }

    /// Cancellation, as when another service fails, also closes the store.
    @Test func aCancelledServiceClosesTheStore() async throws {
        let service = try await fixture.open()
        let running = Task { try await service.run() }
        try await service.store.put("a", "1", durability: .buffered)
        running.cancel()
        try await running.value
        #expect(service.store.statistics.state == .closed)
        let again = try await fixture.open()
        #expect(try again.store.contains("a"))
        try await again.store.close()
    }

    @Test func aServiceRunsOnce() async throws {
        let service = try await fixture.open()
        try await testGracefulShutdown { trigger in
            async let first: Void = service.run()
            trigger.triggerGracefulShutdown()
            try await first
            #expect(await error { try await service.run() }?.code == .invalidArgument)
        }
    }

    /// Nothing depends on `run`.
    @Test func theStoreWorksWithoutRun() async throws {
        let service = try await fixture.open()
        try await service.store.put("a", "1")
        try await service.store.close()
        #expect(try await fixture.open().store.contains("a"))
    }

    @Test func theObserverOfTheConfigurationIsCalledToo() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let service = try await fixture.open { $0.observer = { continuation.yield("\($0)") } }
        try await service.store.close()
        continuation.finish()
        var seen: [String] = []
        for await event in stream { seen.append(String(event.prefix { $0 != "(" })) }
        #expect(seen == ["recoveryBegan", "recovered", "closed"])
    }

    /// swift-log asks libraries for level info and below. The engine's and the service's lines are all here.
    @Test func logLinesAreOfLevelInfoAndBelow() async throws {
        let service = try await fixture.open(options: { $0.slowSync = .zero })
        async let end = error { try await service.run() }
        try await service.store.put("a", "1")
        fixture.failSync()
        _ = await error { try await service.store.put("b", "1") }
        _ = await end
        // The simulated crash leaves a torn tail, and the failure a line.
        let again = try await fixture.open()
        try await again.store.close()
        let lines = fixture.log.entries
        #expect(lines.contains { "\($0.message)".contains("the disk was slow") })
        #expect(lines.contains { "\($0.message)".contains("a write to the log failed") })
        #expect(lines.allSatisfy { $0.level <= .info })
    }
}
