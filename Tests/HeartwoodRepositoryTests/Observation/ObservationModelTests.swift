import Foundation
import Heartwood
import HeartwoodTesting
import KeyValueStore
import KeyValueStoreTesting
import Synchronization
import Testing

@testable import HeartwoodRepository

/// Random histories of one writer with consumers that are slow, late and cancelled, over crashes and reopenings.
/// `HEARTWOOD_HISTORIES=10000` runs more, `HEARTWOOD_SEED=42` only that one.
@Suite struct ObservationModelTests {
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["HEARTWOOD_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["HEARTWOOD_HISTORIES"].flatMap(UInt64.init) ?? 100))
    }()

    /// Each result is one of a moment, in order, and the last one is the final one.
    @Test func deliversWhatTheModelHad() async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for seed in Self.seeds {
                if running == 64 {
                    await group.next()
                    running -= 1
                }
                running += 1
                group.addTask {
                    do {
                        try await ObservedHistory(seed).run()
                    } catch {
                        Issue.record("HEARTWOOD_SEED=\(seed): \(error)")
                    }
                }
            }
        }
    }
}

private struct Note: Codable, Identifiable, Sendable, Hashable {
    var id: Int
    var group: Int
    var text: Int
}

/// What the store had, moment by moment. One task changes it; the state of a write is added before the write begins.
private final class Moments: Sendable {
    private let states: Mutex<[[Int: Note]]>

    init(_ first: [Int: Note]) { states = Mutex([first]) }

    func add(_ state: [Int: Note]) { states.withLock { $0.append(state) } }

    var last: [Int: Note] { states.withLock { $0[$0.count - 1] } }

    /// The first moment, from one on, of which a result is.
    func index(from start: Int, where isResult: ([Int: Note]) -> Bool) -> Int? {
        states.withLock { states in states[start...].firstIndex(where: isResult) }
    }
}

/// What a consumer observes, and what that is in a state.
private enum Observed: Sendable {
    case one(Int)
    case group(Int, limit: Int?, offset: Int)
    case unindexed(Int)
    case count(Int)
    case keys

    init(_ random: inout SeededRandom) {
        let number = Int.random(in: 0...3, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: self = .one(number)
        case 1: self = .group(number, limit: nil, offset: 0)
        case 2: self = .group(number, limit: 2, offset: Int.random(in: 0...2, using: &random))
        case 3: self = .unindexed(number)
        case 4: self = .count(number)
        default: self = .keys
        }
    }

    /// As a text, by which results are compared.
    func result(_ state: [Int: Note]) -> String {
        let notes = state.values.sorted { $0.id < $1.id }
        switch self {
        case .one(let id): return "\(state[id].map { [$0] } ?? [])"
        case .group(let group, let limit, let offset):
            return "\(Array(notes.filter { $0.group == group }.dropFirst(offset).prefix(limit ?? .max)))"
        case .unindexed(let text): return "\(notes.filter { $0.text > 2 * text })"
        case .count(let group): return "\(notes.count { $0.group >= group })"
        case .keys: return "\(notes.count)"
        }
    }

    /// The changes that its hub follows.
    var scope: KeyRange { if case .keys = self { .all } else { .typedLayer } }

    /// The results, until the store is closed or the consumer stops.
    func results(
        _ notes: Repository<Note>, _ store: any KeyValueStore, _ deliver: (String, Watcher?) async throws -> Void
    ) async throws {
        func each<Value>(_ observation: LiveValues<Value>, _ text: (Value) -> String) async throws {
            var iterator = observation.makeAsyncIterator()
            let first: Value?
            do throws(StoreError) {
                first = try await iterator.next()
            } catch {
                // Closed before there was a state.
                guard error.code == .closed else { throw error }
                return
            }
            var next = first
            while let value = next {
                try await deliver(text(value), iterator.run.watcher)
                next = try await iterator.next()
            }
        }
        switch self {
        case .one(let id): try await each(notes.observe(id)) { "\($0.map { [$0] } ?? [])" }
        case .group(let group, let limit, let offset):
            let query = Query<Note>(where: \.group == group, limit: limit, offset: offset)
            try await each(notes.observe(query)) { "\($0)" }
        case .unindexed(let text): try await each(notes.observe(Query(where: \.text > 2 * text))) { "\($0)" }
        case .count(let group): try await each(notes.observeCount(Query(where: \.group >= group))) { "\($0)" }
        case .keys: try await each(store.observeCount(in: notes.core.base.layout.records)) { "\($0)" }
        }
    }
}

/// A task that observes and checks.
private final class Consumer: Sendable {
    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// The last result, and the state of its observation.
    private final class Delivered: Sendable {
        private let result = Mutex<(text: String, watcher: Watcher?)?>(nil)
        var last: (text: String, watcher: Watcher?)? { result.withLock { $0 } }
        func set(_ text: String, _ watcher: Watcher?) { result.withLock { $0 = (text, watcher) } }
    }

    let observed: Observed
    private let delivered = Delivered()
    private let task: Task<Void, any Error>

    init(
        _ observed: Observed, _ notes: Repository<Note>, _ store: any KeyValueStore, _ moments: Moments,
        _ seed: UInt64
    ) {
        self.observed = observed
        task = Task { [delivered] in
            var random = SeededRandom(seed)
            var moment = 0
            try await observed.results(notes, store) { result, watcher in
                guard let found = moments.index(from: moment, where: { observed.result($0) == result }) else {
                    throw Mismatch(description: "\(observed) delivered \(result), which was at no later moment")
                }
                moment = found
                delivered.set(result, watcher)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    try await Task.sleep(for: .microseconds(Int.random(in: 0...3_000, using: &random)))
                }
            }
        }
    }

    func cancel() { task.cancel() }

    /// Waits until it has seen a write. If it then hasn't delivered the result of a state, and waits for another
    /// change, the test fails.
    func settles(at final: SequenceNumber, _ store: any KeyValueStore, _ state: [Int: Note]) async throws {
        let wanted = observed.result(state)
        let hub = ChangeHub.of(store, in: observed.scope)
        let limit = ContinuousClock.now + .seconds(300)
        while true {
            let last = delivered.last
            if let last, last.text == wanted, let watcher = last.watcher, watcher.isIdle {
                let known = [hub.watchers.latest, watcher.seen].compactMap { $0?.sequence }.max() ?? 0
                if known >= final { return }
            }
            guard ContinuousClock.now < limit else {
                let feed = hub.watchers.latest
                throw Mismatch(
                    description: "\(observed) delivered \(last?.text ?? "nothing") last, not \(wanted); "
                        + "the feed is at \(feed.map { "\($0.sequence)" } ?? "the start"), the write at \(final)")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// How it ended, once the store is closed; nothing may come after the final result.
    func end(_ state: [Int: Note]?) async throws {
        do {
            try await task.value
        } catch let error as StoreError where error.code == .cancelled && task.isCancelled {
            return
        }
        if let state, delivered.last?.text != observed.result(state) {
            throw Mismatch(
                description: "\(observed) delivered \(delivered.last?.text ?? "nothing") after the final result")
        }
    }
}

private struct ObservedHistory {
    private let seed: UInt64
    private var random: SeededRandom
    private var test: TestStore
    /// The ids of records that expire in the next seconds.
    private var expiring: Set<Int> = []
    private static let definition = RepositoryDefinition<Note>("notes", indexes: [Index("group", \.group)])

    init(_ seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed)
        test = TestStore(.chosen(by: seed), seed: seed)
    }

    func run() async throws {
        var copy = self
        for _ in 0..<Int.random(in: 1...3, using: &copy.random) { try await copy.session() }
    }

    /// From an opening to a close or a crash.
    private mutating func session() async throws {
        let store = try await test.open()
        let notes = try await store.repository(Self.definition)
        let present = try await retryingEndedViews { try await notes.loadAll() }
        expiring = []
        for note in present where try await notes.findVersioned(by: note.id)?.expires != nil {
            expiring.insert(note.id)
        }
        let moments = Moments(Dictionary(uniqueKeysWithValues: present.map { ($0.id, $0) }))
        var consumers: [Consumer] = []
        for _ in 0..<Int.random(in: 3...20, using: &random) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: consumers.append(consumer(notes, store, moments))
            case 1 where !consumers.isEmpty: consumers.remove(at: 0).cancel()
            case 2: try await settle(consumers, store, moments)
            case 3 where !expiring.isEmpty:
                expire(moments)
                try await settle(consumers, store, moments)
            default: try await write(notes, store, moments)
            }
        }
        consumers.append(consumer(notes, store, moments))
        if let crashed = test.crashed(seed: random.next()), Bool.random(using: &random) {
            // What is left shows when the store is opened again. The old one goes on without effect.
            test = crashed
            try await TestStore.close(store)
            for consumer in consumers { try await consumer.end(nil) }
            return
        }
        try await settle(consumers, store, moments)
        try await TestStore.close(store)
        for consumer in consumers { try await consumer.end(moments.last) }
    }

    /// Waits until all consumers have what there is now.
    private mutating func settle(
        _ consumers: [Consumer], _ store: any KeyValueStore, _ moments: Moments
    ) async throws {
        // One more write, of another repository, so that the feed has a last change that is known.
        let markers = try await store.repository(of: Note.self, named: "markers")
        try await markers.save(Note(id: 1, group: 1, text: Int.random(in: 0...9, using: &random)))
        let last = try await retryingEndedViews { try await markers.findVersioned(by: 1) }
        for consumer in consumers { try await consumer.settles(at: last?.revision ?? 0, store, moments.last) }
    }

    private mutating func consumer(
        _ notes: Repository<Note>, _ store: any KeyValueStore, _ moments: Moments
    ) -> Consumer {
        Consumer(Observed(&random), notes, store, moments, random.next())
    }

    /// Lets the records expire that have an expiry.
    private mutating func expire(_ moments: Moments) {
        let state = moments.last.filter { !expiring.contains($0.key) }
        expiring = []
        moments.add(state)
        test.clock.advance(seconds: 6)
    }

    private mutating func write(
        _ notes: Repository<Note>, _ store: any KeyValueStore, _ moments: Moments
    ) async throws {
        var note = Note(
            id: Int.random(in: 0...5, using: &random), group: Int.random(in: 0...3, using: &random),
            text: Int.random(in: 0...9, using: &random))
        var state = moments.last
        // Often with the entry in the index that it has.
        if Bool.random(using: &random) { note.group = state[note.id]?.group ?? note.group }
        switch Int.random(in: 0..<24, using: &random) {
        case 0...4:
            state[note.id] = nil
            moments.add(state)
            try await notes.delete(note.id)
            expiring.remove(note.id)
        case 5...8:
            // Both at once: no consumer may see only one.
            var other = note
            other.id = Int.random(in: 0...5, using: &random)
            other.group = 3 - note.group
            state[note.id] = note
            state[other.id] = other
            moments.add(state)
            try await notes.save([note, other])
            expiring.remove(note.id)
            expiring.remove(other.id)
        case 9...11:
            state[note.id] = note
            moments.add(state)
            try await notes.save(note, expires: .after(.seconds(5)))
            expiring.insert(note.id)
        case 12:
            // Feeds that haven't read the log may lose it.
            _ = try await (store as? Store)?.compact()
            await (store as? ConstrainedStore)?.compact()
        default:
            state[note.id] = note
            moments.add(state)
            try await notes.save(note)
            expiring.remove(note.id)
        }
    }
}
