import HeartwoodTesting
import KeyValueStore
import Testing

@testable import HeartwoodJobs

/// Random orders of what two lanes, the slots, the clock and the user may do, compared with a model of the queue: who
/// has which job, and what is left to do.
@Suite("The book of workers")
struct WorkerBookTests {
    @Test(arguments: 0..<8)
    func everyJobIsRunOnceAndReported(part: UInt64) throws {
        for seed in part * 250..<(part + 1) * 250 {
            var history = BookHistory(seed: seed)
            do {
                for _ in 0..<history.random.below(200) { try history.step() }
                try history.end()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test func whatIsPassedOverIsNotLookedAtAgain() throws {
        var book = WorkerBook(slots: 1, batch: 1, lease: .seconds(30), poll: nil)
        let now = Timestamp(milliseconds: 1_000_000)
        for known in [[], [[1]], [[1], [2]]] as [Set<[UInt8]>] {
            guard case .exchange(let round) = book.next(now: now) else {
                Issue.record("nothing is looked for")
                return
            }
            #expect(round.exchange.passedOver == known)
            let entry = [UInt8(known.count + 1)]
            _ = book.finish(round, .init(next: now, passedOver: [.init(entry: entry, reason: "")]), now: now)
        }
    }
}

/// A book, and what a queue and its slots would know.
private struct BookHistory {
    struct Violation: Error { var what: String }

    static let lease = Duration.seconds(30)

    var random: SeededRandom
    private var book: WorkerBook
    private var now = Timestamp(milliseconds: 1_000_000)
    private let most: Int
    private let slots: Int
    private let claimsTogether: Bool
    private var waiting = 0
    private let ids = JobIDs()
    /// With how many jobs each claims.
    private var rounds: [(round: WorkerBook.Round, claims: Int)] = []
    /// The jobs that each slot still has to run.
    private var running: [Int: [LeasedJob]] = [:]
    /// What is to be written of jobs, by their ids: true once a round does.
    private var reports: [LeaseID: Bool] = [:]
    private var isStopped = false
    private var hasEnded = false

    init(seed: UInt64) {
        random = SeededRandom(seed, 0xB00C)
        slots = 1 + random.below(4)
        most = random.pick([2, 5, .max])
        claimsTogether = !random.oneIn(3)
        book = WorkerBook(
            slots: slots, batch: 1 + random.below(3), lease: Self.lease, poll: nil, most: most,
            claimsTogether: claimsTogether)
    }

    mutating func step() throws {
        switch random.below(12) {
        case 0, 1: enqueue()
        case 2, 3, 4: try lane()
        case 5, 6: try finishOne()
        case 7:
            if random.oneIn(3), !rounds.isEmpty {
                let (round, claims) = rounds.remove(at: random.below(rounds.count))
                fail(round, claims)
            }
        case 8, 9, 10: run()
        default: if random.oneIn(2) { now = now + random.pick([.seconds(1), .seconds(11)]) }
        }
    }

    /// Stops, and lets everything end.
    mutating func end() throws {
        book.stop(until: now + .seconds(20))
        isStopped = true
        for _ in 0..<5_000 where !hasEnded {
            if random.oneIn(2) { try lane() }
            try finishOne()
            run()
        }
        try expect(hasEnded, "it doesn't end")
        try expect(reports.isEmpty && rounds.isEmpty && book.held.isEmpty, "it has ended, and jobs are left")
        // What was given back isn't run.
        while !running.isEmpty { run() }
        try expect(reports.isEmpty, "a job has run after the end")
    }

    private mutating func enqueue() {
        waiting += 1
        book.ring()
    }

    private mutating func lane() throws {
        switch book.next(now: now) {
        case .exchange(let round): try begin(round)
        case .wait: if rounds.isEmpty { try expectNothingToDo() }
        case .end:
            try expect(isStopped && rounds.isEmpty, "it ends while it is used")
            hasEnded = true
        }
    }

    private mutating func begin(_ round: WorkerBook.Round) throws {
        let exchange = round.exchange
        try expect(exchange.reports.count + exchange.demand <= most, "an exchange is too large")
        try expect(!isStopped || exchange.demand == 0, "it claims after its stop")
        try expect(claimsTogether || !round.claims || !rounds.contains(where: \.round.claims), "two rounds claim")
        let reserved = rounds.flatMap(\.round.slots) + round.slots
        try expect(Set(reserved).count == reserved.count, "two rounds have one slot")
        try expect(reserved.allSatisfy { running[$0] == nil }, "a slot is busy")
        let inRounds = Set(rounds.flatMap(\.round.exchange.reports).map(\.job.id))
        for report in exchange.reports {
            let id = report.job.id
            try expect(!inRounds.contains(id), "a job is in two rounds")
            if report.event.isRenewal {
                try expect(reports[id] == nil, "a job is renewed that is done")
            } else {
                try expect(reports[id] == false || isStopped, "a job is reported that isn't done")
                reports[id] = true
            }
        }
        // It is ordered among other writes now, and its result comes later.
        rounds.append((round, min(exchange.demand, waiting)))
        waiting -= rounds[rounds.count - 1].claims
    }

    private mutating func finishOne() throws {
        if rounds.isEmpty { return }
        let (round, claims) = rounds.remove(at: random.below(rounds.count))
        try finish(round, claims)
    }

    private mutating func finish(_ round: WorkerBook.Round, _ claims: Int) throws {
        var result = Exchange.Result()
        var lost: [Int] = []
        for report in round.exchange.reports {
            let isLost = report.event.isRenewal && random.oneIn(8)
            result.wasLost.append(isLost)
            result.leases.append(report.event.isRenewal && !isLost ? now + Self.lease : nil)
            if !report.event.isRenewal {
                reports[report.job.id] = nil
            } else if isLost {
                // One that is given back isn't run anyway.
                let isGivenBack = book.held[report.job.id]?.report == .release
                if !isGivenBack { lost += running.filter { $0.value.contains { $0.id == report.job.id } }.keys }
                // What is said of it later isn't written.
                if reports[report.job.id] == false { reports[report.job.id] = nil }
            }
        }
        for _ in 0..<claims { result.claimed.append(claim()) }
        let (started, cancelled) = book.finish(round, result, now: now)
        try expect(Set(lost) == Set(cancelled), "other slots are cancelled than those that lost a lease")
        try expect(started.allSatisfy { round.slots.contains($0.slot) }, "a slot runs that wasn't reserved")
        try expect(started.flatMap(\.jobs).map(\.id) == result.claimed.map(\.id), "jobs got lost, or have two slots")
        for (slot, jobs) in started {
            try expect(running.updateValue(jobs, forKey: slot) == nil, "a slot runs twice")
        }
    }

    private mutating func fail(_ round: WorkerBook.Round, _ claims: Int) {
        for report in round.exchange.reports where !report.event.isRenewal { reports[report.job.id] = false }
        waiting += claims
        book.failed(round)
    }

    /// A slot runs its next job.
    private mutating func run() {
        guard let slot = running.keys.sorted().first, var jobs = running[slot] else { return }
        let job = jobs.removeFirst()
        let begins = book.begin(job.id, now: now)
        let isHeld = book.held[job.id].map { $0.report == nil } ?? false
        book.report(job.id, begins ? .finish : .release)
        if begins || isHeld { reports[job.id] = false }
        running[slot] = jobs.isEmpty ? nil : jobs
        if jobs.isEmpty { book.free(slot) }
    }

    private func expectNothingToDo() throws {
        try expect(reports.isEmpty, "a report isn't written")
        if !isStopped { try expect(waiting == 0 || running.count == slots, "a job waits, and a slot is free") }
    }

    private mutating func claim() -> LeasedJob {
        var record = JobRecord(
            id: ids.make(1, now: now)[0], kind: "work", payload: [], enqueued: now, due: now, priority: .normal,
            retry: JobRetry(), uniqueKey: nil)
        (record.state, record.attempt, record.time) = (.running, 1, now + Self.lease)
        return LeasedJob(record: record, key: [], fence: 1)
    }

    private func expect(_ condition: Bool, _ what: String) throws { if !condition { throw Violation(what: what) } }
}
