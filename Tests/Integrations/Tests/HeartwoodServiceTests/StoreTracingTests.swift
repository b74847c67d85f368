import Heartwood
import HeartwoodRepository
import HeartwoodService
import HeartwoodTesting
import InMemoryTracing
import Testing
import Tracing

/// The spans of a store's own work, of transactions and of repository calls.
@Suite(.timeLimit(.minutes(5))) struct StoreTracingTests {
    private struct City: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    private let fixture = ServiceFixture()

    private func span(_ name: String) throws -> FinishedInMemorySpan {
        let found = fixture.tracer.finishedSpans.filter { $0.operationName == name }
        #expect(found.count == 1, "\(fixture.tracer.finishedSpans.map(\.operationName))")
        return try #require(found.first)
    }

    @Test func openingHasRecoveryInside() async throws {
        let store = try await fixture.open().store
        let (opening, recovery) = (try span("heartwood.open"), try span("heartwood.recovery"))
        #expect(recovery.parentSpanID == opening.spanID && recovery.traceID == opening.traceID)
        #expect(opening.attributes["db.system.name"]?.toSpanAttribute() == .string("heartwood"))
        #expect(opening.attributes["db.namespace"]?.toSpanAttribute() == .string("test"))
        #expect(recovery.attributes["heartwood.recovery.tail"]?.toSpanAttribute() == .string("new"))
        try await store.close()
    }

    @Test func aFailedOpeningEndsItsSpans() async throws {
        fixture.disk.inject(Fault(.list, .error(5), times: .max))
        #expect(await error { _ = try await fixture.open() } != nil)
        #expect(fixture.tracer.activeSpans.isEmpty)
        #expect(try span("heartwood.open").errors.count == 1)
    }

    @Test func aFailedRecoveryEndsItsSpan() async throws {
        let store = try await fixture.open().store
        try await store.put("a", "1")
        try await store.close()
        fixture.tracer.clearFinishedSpans()
        fixture.disk.inject(Fault(.read, .error(5), path: ".log", times: .max))
        #expect(await error { _ = try await fixture.open() } != nil)
        #expect(fixture.tracer.activeSpans.isEmpty)
        #expect(try span("heartwood.recovery").status?.code == .error)
    }

    @Test func compactionsAreRootsOfTheirOwn() async throws {
        let store = try await fixture.open().store
        try await store.put("a", "1")
        try await fixture.tracer.withSpan("request") { _ in _ = try await store.compact() }
        let compaction = try span("heartwood.compaction")
        #expect(compaction.parentSpanID == nil)
        fixture.disk.inject(Fault(.sync, .error(5), path: "new.snapshot.tmp"))
        fixture.tracer.clearFinishedSpans()
        try await store.put("b", "1")
        #expect(await error { _ = try await store.compact() } != nil)
        #expect(try span("heartwood.compaction").status?.code == .error)
        try await store.close()
        #expect(fixture.tracer.activeSpans.isEmpty)
    }

    @Test func transactionsAndRepositoryCallsAreSpans() async throws {
        let store = try await fixture.open().store
        let plain = try await store.repository(of: City.self, named: "cities")
        let cities = plain.traced(by: fixture.tracer)
        fixture.tracer.clearFinishedSpans()
        try await fixture.tracer.withSpan("request") { request in
            try await cities.save(City(id: 1, name: "Reykjavík"))
            #expect(try await cities.find(by: 1)?.name == "Reykjavík")
            let attempts = try await store.transaction(tracedBy: fixture.tracer) { transaction in
                try await plain.save(City(id: 2, name: "Akureyri"), in: transaction)
                return InstrumentationContext.current
            }
            #expect(attempts.value != nil)
            let transaction = try span("heartwood.transaction")
            #expect(transaction.parentSpanID == request.spanID)
            #expect(transaction.attributes["heartwood.transaction.attempts"]?.toSpanAttribute() == .int64(1))
        }
        let save = try span("save cities")
        #expect(save.attributes["db.collection.name"]?.toSpanAttribute() == .string("cities"))
        #expect(try span("find cities").parentSpanID == span("request").spanID)
        #expect(save.errors.isEmpty)
        try await cities.update(1) { $0.name = "Vík" }
        #expect(try await cities.find(by: [1, 2, 3]).map { $0?.name } == ["Vík", "Akureyri", nil])
        #expect(try await cities.count(Query()) == 2)
        #expect(try await cities.fetch(Query()).count == 2)
        try await cities.delete(2)
        try await cities.insert([City(id: 4, name: "Höfn")])
        try await cities.save([City(id: 5, name: "Ísafjörður")])
        #expect(await error { try await cities.insert(City(id: 4, name: "Höfn")) }?.code == .alreadyExists)
        let failed = fixture.tracer.finishedSpans.filter { !$0.errors.isEmpty }
        #expect(failed.map(\.operationName) == ["insert cities"])
        #expect(failed.first?.attributes["error.type"]?.toSpanAttribute() == .string("alreadyExists"))
        try await store.close()
    }
}
