import Foundation
import Heartwood
import KeyValueStore
import Logging
import Synchronization
import Testing

@testable import HeartwoodJobs
@testable import HeartwoodRepository

/// A job that can't be read becomes a dead letter, or is left alone, and stops no other.
@Suite("Jobs that can't be read", .timeLimit(.minutes(10)))
struct UnreadableJobTests {
    /// What another program, a fault or a newer version has written in the place of a record.
    enum Damage: CaseIterable {
        case empty, noise, halfAHead, headWithoutEntries, state, shortPayload, endlessText, otherJob
        case newerHead, newerModel, newerLayout, missing

        /// Whether this program may write over it.
        var isBuried: Bool {
            switch self {
            case .newerHead, .newerModel, .newerLayout, .missing: false
            default: true
            }
        }

        /// Nil removes the record.
        func bytes(_ record: [UInt8], _ other: [UInt8]) throws -> [UInt8]? {
            let (head, start) = try RecordEnvelope.decode(record)
            var payload = Array(record[start...])
            switch self {
            case .empty: return []
            case .noise: return [0xDE, 0xAD, 0xBE, 0xEF]
            case .halfAHead: return Array(record[..<(start / 2)])
            case .headWithoutEntries: return [1, 1, 0, 7, 7, 7]
            case .state: payload[17] = 9
            case .shortPayload: payload.removeLast(payload.count - 10)
            case .endlessText: payload = Array(payload[..<19]) + [UInt8](repeating: 0x7F, count: 9)
            case .otherJob: payload = Array(other[try RecordEnvelope.decode(other).payload...])
            case .newerHead: return [2] + record.dropFirst()
            case .newerModel: return RecordEnvelope(version: 2, groups: head.groups).encoded(with: payload)
            case .newerLayout: payload[0] = 9
            case .missing: return nil
            }
            return head.encoded(with: payload)
        }
    }

    private struct Bench {
        let store: any KeyValueStore
        let queue: JobQueue
        let clock: SteppedClock
        /// Entries that workers pass over.
        var passedOver: Set<[UInt8]> = []

        init(_ engine: JobEngine) async throws {
            let test = JobStore(engine)
            store = try await test.open()
            queue = try await JobQueue.open(in: store)
            clock = test.clock
        }

        func record(_ id: JobID) async throws -> [UInt8]? {
            try await store.fetchEntry(try queue.records.recordKey(id))?.value
        }

        func commit(_ key: [UInt8], _ value: [UInt8]?) async throws {
            try await store.write(WriteBatch(operations: [.init(key: key, value: value)]), durability: nil)
        }

        func damage(_ id: JobID, _ damage: Damage, _ other: JobID) async throws -> [UInt8]? {
            let bytes = try damage.bytes(try #require(try await record(id)), try #require(try await record(other)))
            try await commit(try queue.records.recordKey(id), bytes)
            return bytes
        }

        /// Claims and finishes one job after the other, as workers do, until nothing is due.
        mutating func drain() async throws -> Set<JobID> {
            var ran: Set<JobID> = []
            for _ in 0..<40 {
                let wanted = Exchange(demand: 1, lease: .seconds(30), passedOver: passedOver)
                let result = try await queue.exchange(wanted)
                passedOver.formUnion(result.passedOver.map(\.entry))
                let reports = result.claimed.map { Exchange.Report(job: $0, event: .finish) }
                ran.formUnion(result.claimed.map(\.record.id))
                if !reports.isEmpty { _ = try await queue.exchange(Exchange(reports: reports, lease: .seconds(30))) }
                if result.claimed.isEmpty, result.next.map({ $0 > clock.now() }) ?? true { return ran }
            }
            Issue.record("there is always something that is due")
            return ran
        }
    }

    @Test("while it waits", arguments: JobEngine.reliable, Damage.allCases)
    func waiting(_ engine: JobEngine, _ damage: Damage) async throws {
        var bench = try await Bench(engine)
        let queue = bench.queue
        let victim = try await queue.enqueue(Mark(number: 0), JobOptions(priority: .high, uniqueKey: "u"))
        let others = try await queue.enqueue(contentsOf: (1...4).map { Mark(number: $0) })
        let bytes = try await bench.damage(victim, damage, others[0])
        var counts = queue.observeCounts().makeAsyncIterator()
        #expect(try await counts.next() == JobCounts(due: 5, scheduled: 0, running: 0, dead: 0))
        let listed = try await listed(.waiting, queue)
        #expect(listed.filter { $0.id != victim || $0.kind.isEmpty }.count >= 4)
        #expect(try await queue.enqueue(Mark(number: 9), .unique("u")) == victim)
        #expect(try await bench.drain() == Set(others))
        try await expectJudged(bench, victim, damage, bytes)
    }

    @Test("while it runs", arguments: JobEngine.reliable, Damage.allCases)
    func running(_ engine: JobEngine, _ damage: Damage) async throws {
        var bench = try await Bench(engine)
        let queue = bench.queue
        let victim = try await queue.enqueue(Mark(number: 0), JobOptions(priority: .high, uniqueKey: "u"))
        let others = try await queue.enqueue(contentsOf: (1...4).map { Mark(number: $0) })
        let claimed = try await queue.exchange(Exchange(demand: 2, lease: .seconds(30))).claimed
        #expect(claimed.map(\.record.id).first == victim && claimed.count == 2)
        let bytes = try await bench.damage(victim, damage, others[0])
        let reports = claimed.map { Exchange.Report(job: $0, event: .finish) }
        let result = try await queue.exchange(Exchange(reports: reports, lease: .seconds(30)))
        #expect(result.wasLost == [true, false])
        await #expect(throws: StoreError.self) {
            try await bench.store.transaction { _ = try await queue.held(claimed[0], in: $0) }
        }
        #expect(try await bench.drain() == Set(others).subtracting(claimed.map(\.record.id)))
        bench.clock.advance(by: .seconds(31))
        #expect(try await bench.drain() == [])
        try await expectJudged(bench, victim, damage, bytes)
    }

    @Test("while it is a dead letter", arguments: JobEngine.reliable, Damage.allCases)
    func dead(_ engine: JobEngine, _ damage: Damage) async throws {
        let bench = try await Bench(engine)
        let queue = bench.queue
        let ids = try await queue.enqueue(contentsOf: (1...3).map { Mark(number: $0) })
        let claimed = try await queue.exchange(Exchange(demand: 3, lease: .seconds(30))).claimed
        let reports = claimed.map { Exchange.Report(job: $0, event: .discard("no")) }
        _ = try await queue.exchange(Exchange(reports: reports, lease: .seconds(30)))
        let bytes = try await bench.damage(ids[1], damage, ids[0])
        #expect(try await listed(.dead, queue).filter { $0.id != ids[1] }.count >= 2)
        #expect((try? await queue.retry(ids[1])) != true)
        #expect(try await queue.retryDeadLetters() == 2)
        #expect(try await queue.counts() == JobCounts(due: 2, scheduled: 0, running: 0, dead: 1))
        #expect(try await queue.removeDeadLetters(before: bench.clock.now()) == 0)
        #expect(try await queue.removeDeadLetters() == (damage.isBuried ? 1 : 0))
        #expect(try await bench.record(ids[1]) == (damage.isBuried ? nil : bytes))
        if damage.isBuried { #expect(try await queue.verify().isClean) }
    }

    private func expectJudged(_ bench: Bench, _ victim: JobID, _ damage: Damage, _ bytes: [UInt8]?) async throws {
        let queue = bench.queue
        guard damage.isBuried else {
            // Nothing was written over it, and it is looked at once.
            #expect(try await bench.record(victim) == bytes && bench.passedOver.count == 1)
            #expect(try await queue.counts().dead == 0)
            return
        }
        #expect(bench.passedOver.isEmpty)
        let dead = try await listed(.dead, queue)
        #expect(dead.map(\.id) == [victim])
        let job = try #require(dead.first)
        #expect(job.kind.isEmpty && job.failure?.isEmpty == false && job.attempt == 0 && job.fault == nil)
        #expect(job.payload.isEmpty ? bytes == [] : bytes?.suffix(job.payload.count) == job.payload[...])
        #expect(try await queue.job(victim) == job)
        #expect(try await queue.verify().isClean)
        #expect(try await queue.retry(victim) == false)
        #expect(try await queue.retryDeadLetters() == 0)
        // It has given its unique key up.
        #expect(try await queue.enqueue(Mark(number: 9), .unique("u")) != victim)
        try await queue.remove(victim)
        #expect(try await queue.counts() == JobCounts(due: 1, scheduled: 0, running: 0, dead: 0))
        #expect(try await queue.verify().isClean)
    }

    private func listed(_ state: JobRecord.State, _ queue: JobQueue) async throws -> [JobRecord] {
        var (jobs, cursor): ([JobRecord], QueryCursor?) = ([], nil)
        repeat {
            let page = try await queue.jobs(state, limit: 2, after: cursor)
            jobs += page.models
            cursor = page.next
        } while cursor != nil
        return jobs
    }

    @Test("before it is due, and it is removed by its id", arguments: JobEngine.reliable, Damage.allCases)
    func scheduled(_ engine: JobEngine, _ damage: Damage) async throws {
        let bench = try await Bench(engine)
        let queue = bench.queue
        let options = JobOptions(start: .after(.seconds(60)), uniqueKey: "u")
        let victim = try await queue.enqueue(Mark(number: 0), options)
        let other = try await queue.enqueue(Mark(number: 1))
        _ = try await bench.damage(victim, damage, other)
        // A head of a newer layout says that only to a newer program.
        guard damage.isBuried || damage == .newerLayout || damage == .newerModel else { return }
        try await queue.remove(victim)
        #expect(try await queue.counts() == JobCounts(due: 1, scheduled: 0, running: 0, dead: 0))
        #expect(try await queue.enqueue(Mark(number: 2), options) != victim)
        #expect(try await queue.verify().isClean)
    }

    @Test("entries that can't be read, or lead elsewhere", arguments: JobEngine.reliable)
    func entries(_ engine: JobEngine) async throws {
        var bench = try await Bench(engine)
        let queue = bench.queue
        let ids = try await queue.enqueue(contentsOf: (1...3).map { Mark(number: $0) })
        let line = try queue.records.entriesPrefix(ofIndex: JobRecord.lineIndex)
        var keys: [[UInt8]] = []
        for (rank, moment) in [("a", 1), (0, "a"), (0, 1), (0, UInt64.max)] as [(any TupleElement, any TupleElement)] {
            var encoder = TupleEncoder(prefix: line)
            encoder.append(JobRecord.State.waiting)
            encoder.append(rank)
            encoder.append(moment)
            keys.append(encoder.bytes)
        }
        // One that leads to a job that isn't due, and one to no job.
        let running = try #require(try await queue.exchange(Exchange(demand: 1, lease: .seconds(30))).claimed.first)
        var encoder = TupleEncoder(prefix: keys[2])
        encoder.append(running.record.id)
        keys.append(encoder.bytes)
        encoder = TupleEncoder(prefix: keys[2])
        encoder.append(UUID())
        keys.append(encoder.bytes)
        for key in keys { try await bench.commit(key, []) }
        #expect(try await queue.counts().running == 1)
        #expect(try await bench.drain() == Set(ids.filter { $0 != running.record.id }))
        #expect(!bench.passedOver.isEmpty)
        #expect(try await queue.observeCounts().first { _ in true }?.dead == 0)
    }

    @Test("workers run all others, and log it once", arguments: JobEngine.reliable)
    func workers(_ engine: JobEngine) async throws {
        let bench = try await Bench(engine)
        let victims = try await bench.queue.enqueue(
            contentsOf: Damage.allCases.map { _ in Mark(number: 0) }, JobOptions(priority: .high))
        let other = try await bench.queue.enqueue(Mark(number: 1))
        for (victim, damage) in zip(victims, Damage.allCases) { _ = try await bench.damage(victim, damage, other) }
        let lines = Mutex<[String]>([])
        let notes = Notebook<Int>()
        var configuration = JobWorkers.Configuration(count: 2)
        configuration.clock = bench.clock
        configuration.logger = Logger(label: "jobs") { _ in Lines { line in lines.withLock { $0.append(line) } } }
        let workers = JobWorkers(
            bench.queue, configuration, handlers: [.handling(Mark.self) { job, _ in notes.add(job.number) }])
        async let running: Void = workers.run()
        for number in 1...20 {
            if number > 1 { try await bench.queue.enqueue(Mark(number: number)) }
            try await notes.wait(count: number)
        }
        workers.stop()
        try await running
        #expect(notes.notes.sorted() == Array(1...20))
        #expect(lines.withLock { $0 }.count { $0.contains("is passed over") } == Damage.allCases.count { !$0.isBuried })
        #expect(try await bench.queue.counts().dead == Damage.allCases.count(where: \.isBuried))
    }

    /// Gives each line of a log to a closure.
    private struct Lines: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        let body: @Sendable (String) -> Void

        init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { body("\(event.message)") }
    }

    #if !CLUSTER
    @Test("a record that the disk has damaged")
    func damagedFile() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "jobs-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        var ids: [JobID] = []
        do {
            let store = try await Store.open(at: directory.path)
            let queue = try await JobQueue.open(in: store)
            ids = try await queue.enqueue(contentsOf: [777_777, 1, 2].map { Mark(number: $0) })
            try await store.compact()
            try await store.close()
        }
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        let snapshot = try #require(files.first { $0.pathExtension == "snapshot" })
        var data = try Data(contentsOf: snapshot)
        data[try #require(data.range(of: Data("777777".utf8))).lowerBound] ^= 1
        try data.write(to: snapshot)
        let store = try await Store.open(at: directory.path)
        let queue = try await JobQueue.open(in: store)
        var passedOver: Set<[UInt8]> = []
        for id in ids.dropFirst() {
            var claimed: [LeasedJob] = []
            while claimed.isEmpty {
                let result = try await queue.exchange(
                    Exchange(demand: 1, lease: .seconds(30), passedOver: passedOver))
                passedOver.formUnion(result.passedOver.map(\.entry))
                claimed = result.claimed
            }
            #expect(claimed.map(\.record.id) == [id])
        }
        #expect(passedOver.count == 1)
        try await store.close()
    }
    #endif
}
