internal import Heartwood
internal import HeartwoodRepository
internal import Synchronization

/// One task saves one record again and again, `.written`, while each of many records is observed by a task of its own.
enum Observing {
    /// Records of the repository.
    private static let count = 1_000

    static func measure(_ cell: Cell, observers: Int) async throws -> Measured {
        let store = try await Store.open(at: cell.spec.store)
        let counters = try await store.repository(of: Counter.self, named: "counters")
        try await counters.save((0..<count).map { Counter(id: $0, number: 0) })
        let seen = Seen(observers)
        let tasks = (0..<observers).map { id in
            Task {
                for try await counter in counters.observe(id) { seen.note(counter?.number ?? -1, of: id) }
            }
        }
        try await seen.wait("the first results") { $0.allSatisfy { $0.results == 1 } }
        let start = Ticks.now
        let watch = try await Task {
            var (watch, number) = (cell.stopwatch(since: start), 0)
            while watch.next() {
                number += 1
                try await counters.save(Counter(id: 0, number: number), durability: .written)
            }
            return watch
        }.value
        if observers > 0 {
            try await seen.wait("the last value") { $0[0].last == watch.count }
            guard seen.states.dropFirst().allSatisfy({ $0.results == 1 }) else {
                throw WrongResult("a record that didn't change was delivered again")
            }
        }
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        let saved = try await counters.find(by: 0)?.number
        try await store.close()
        guard saved == watch.count else {
            throw WrongResult("the record has \(saved ?? -1) after \(watch.count) saves")
        }
        return Measured([watch], since: start, bytesEach: 0)
    }

    private struct Counter: Codable, Identifiable, Sendable {
        var id: Int
        var number: Int
    }

    /// What the observers got.
    private final class Seen: Sendable {
        struct State: Sendable {
            var results = 0
            var last = -1
        }

        private let all: Mutex<[State]>

        init(_ count: Int) { all = Mutex(Array(repeating: State(), count: count)) }

        var states: [State] { all.withLock { $0 } }

        func note(_ number: Int, of id: Int) {
            all.withLock {
                $0[id].results += 1
                $0[id].last = number
            }
        }

        func wait(_ what: String, until isTrue: ([State]) -> Bool) async throws {
            for _ in 0..<10_000 {
                if isTrue(states) { return }
                try await Task.sleep(for: .milliseconds(1))
            }
            throw WrongResult("the observers didn't get \(what)")
        }
    }
}
