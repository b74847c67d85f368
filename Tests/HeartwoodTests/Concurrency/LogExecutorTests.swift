import Synchronization
import Testing

@testable import Heartwood

extension Log {
    /// A method of the actor that is called with `await`, which the engine never does.
    fileprivate func count(in counters: ActorCounters) { counters.count() }
}

/// Counts only the calls during which no other one runs.
private final class ActorCounters: Sendable {
    private let inside = Atomic(0)
    let total = Atomic(0)

    func count() {
        if inside.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { total.add(1, ordering: .relaxed) }
        inside.subtract(1, ordering: .relaxed)
    }
}

/// The log's actor, whose executor is a lock.
@Suite struct LogExecutorConcurrencyTests {
    /// One thread at a time is on the actor, whichever way it came.
    @Test func theActorIsExclusive() async throws {
        let store = try Store.inMemory()
        let (log, counters) = (store.log, ActorCounters())
        try await concurrently(0..<4) { task in
            for number in 0..<2_000 {
                switch (task, number % 100) {
                case (0, _): log.withState { _ in counters.count() }
                case (_, 0): await log.count(in: counters)
                default: log.isolated { _ in counters.count() }
                }
            }
        }
        #expect(counters.total.load(ordering: .relaxed) == 8_000)
        try await store.close()
    }
}
