import HeartwoodTesting
import Testing

@testable import HeartwoodJobs

/// All orders of what two workers, an operator and the clock may do to a job, compared with a model that is written in
/// other terms: who was given the job, and what was said of it.
@Suite("States of a job")
struct JobStepsTests {
    enum Action: Hashable {
        case claim(Int)
        case renew(Int), finish(Int), fail(Int), retryLater(Int), snooze(Int), release(Int), discard(Int)
        case halfALease, untilDue
        case retry

        static let all: [Action] =
            [.halfALease, .untilDue, .retry]
            + (0..<2).flatMap { worker -> [Action] in
                [
                    .claim(worker), .renew(worker), .finish(worker), .fail(worker), .retryLater(worker),
                    .snooze(worker), .release(worker), .discard(worker),
                ]
            }
    }

    static let lease = Duration.seconds(30)
    static let pause = Duration.seconds(7)

    /// What is known without the machine.
    struct World {
        var now = Timestamp(milliseconds: 1_000_000)
        var job: JobRecord?
        /// The claims of each worker: what it believes to have.
        var claims: [JobClaim?] = [nil, nil]
        /// The worker that was given the job last, and until when; nil if it has said what became of it.
        var holder: (worker: Int, until: Timestamp)?
        var failures = 0
        var limit = 2
        var isDead = false
        var given = 0
        var tokens: UInt64 = 0
        /// Not before this time.
        var due = Timestamp(milliseconds: 1_000_000)
    }

    static func start() -> World {
        var world = World()
        world.job = JobRecord(
            id: JobIDs().make(1, now: world.now)[0], kind: "k", payload: [1, 2, 3], enqueued: world.now, due: world.now,
            priority: .normal, retry: JobRetry(limit: 2, first: .seconds(10), longest: .seconds(60)), uniqueKey: "u")
        return world
    }

    @Test("every sequence of six actions")
    func everySequence() throws {
        var count = 0
        try explore(Self.start(), depth: 6, &count)
        #expect(count > 100_000)
    }

    private func explore(_ world: World, depth: Int, _ count: inout Int) throws {
        guard depth > 0, world.job != nil else { return }
        for action in Action.all {
            guard let next = try step(world, action) else { continue }
            count += 1
            try explore(next, depth: depth - 1, &count)
        }
    }

    /// Nil if the action says nothing that others don't.
    private func step(_ before: World, _ action: Action) throws -> World? {
        var world = before
        guard let job = world.job else { return nil }
        switch action {
        case .halfALease: world.now = world.now + Self.lease / 2
        case .untilDue:
            guard job.time > world.now else { return nil }
            world.now = job.time
        case .retry:
            let isAllowed = world.isDead
            try apply(job.after(.retry, now: world.now), isAllowed, &world) {
                ($0.isDead, $0.due, $0.limit) = (false, $0.now, max($0.limit, $0.failures + 1))
            }
        case .claim(let worker):
            world.tokens += 1
            let isFree = world.holder.map { $0.until <= world.now } ?? (world.due <= world.now)
            let isAllowed = !world.isDead && isFree
            // An attempt whose lease has ended has failed.
            let isLast = world.holder != nil && world.failures + 1 >= world.limit
            let step = job.after(.claim(token: world.tokens, lease: Self.lease), now: world.now)
            try apply(step, isAllowed, &world) { world in
                if world.holder != nil { world.failures += 1 }
                if isLast {
                    (world.isDead, world.holder) = (true, nil)
                } else {
                    world.given += 1
                    world.holder = (worker, world.now + Self.lease)
                }
            }
            if isAllowed, !isLast, let job = world.job {
                world.claims[worker] = JobClaim(attempt: job.attempt, token: job.token)
                #expect(job.attempt == world.given)
            }
        case .renew(let worker):
            return try held(world, job, worker, .renew(lease: Self.lease)) {
                $0.holder?.until = $0.now + Self.lease
            }
        case .finish(let worker): return try held(world, job, worker, .finish) { $0.job = nil }
        case .fail(let worker): return try held(world, job, worker, .fail("f", jitter: 0.5)) { Self.fail(&$0, nil) }
        case .retryLater(let worker):
            return try held(world, job, worker, .retry("r", after: Self.pause)) {
                Self.fail(&$0, Self.pause)
            }
        case .snooze(let worker):
            return try held(world, job, worker, .snooze(Self.pause)) {
                ($0.holder, $0.due) = (nil, $0.now + Self.pause)
            }
        case .release(let worker): return try held(world, job, worker, .release) { ($0.holder, $0.due) = (nil, $0.now) }
        case .discard(let worker):
            return try held(world, job, worker, .discard("d")) {
                ($0.holder, $0.isDead) = (nil, true)
            }
        }
        try compare(world)
        return world
    }

    private static func fail(_ world: inout World, _ pause: Duration?) {
        world.failures += 1
        world.holder = nil
        world.isDead = world.failures >= world.limit
        // Jitter 0.5 makes three quarters of 10 s, of 20 s, and so on.
        let full = Duration.seconds(min(60, 10 << (world.failures - 1)))
        world.due = world.now + (pause ?? full * 3 / 4)
    }

    private func held(
        _ before: World, _ job: JobRecord, _ worker: Int, _ event: HeldEvent, _ effect: (inout World) -> Void
    ) throws -> World? {
        guard let claim = before.claims[worker] else { return nil }
        var world = before
        // Allowed only to the worker that was given the job last, until it has said what became of it.
        let isAllowed = world.holder?.worker == worker && claim.attempt == world.given
        let step = job.after(.held(claim, event), now: world.now)
        if isAllowed, event == .finish {
            #expect(step == .removed)
            effect(&world)
            return world
        }
        try apply(step, isAllowed, &world, effect)
        try compare(world)
        return world
    }

    private func apply(
        _ step: JobStep, _ isAllowed: Bool, _ world: inout World, _ effect: (inout World) -> Void
    ) throws {
        switch step {
        case .refused: try #require(!isAllowed, "refused: \(world)")
        case .removed: Issue.record("removed")
        case .changed(let job):
            try #require(isAllowed, "allowed: \(world)")
            #expect(job.attempt >= world.job!.attempt)
            world.job = job
            effect(&world)
        }
    }

    private func compare(_ world: World) throws {
        let job = try #require(world.job)
        try #require(job.failures == world.failures && job.limit == world.limit, "\(world)")
        let state: JobRecord.State = world.isDead ? .dead : world.holder != nil ? .running : .waiting
        try #require(job.state == state, "\(world)")
        switch state {
        case .running: try #require(job.time == world.holder!.until, "\(world)")
        case .waiting: try #require(job.time == world.due && job.token == 0, "\(world)")
        case .dead: try #require(job.uniqueKeys.isEmpty && job.failure != nil, "\(world)")
        }
    }

    @Test("the pause grows to its limit, and nothing overflows")
    func pauses() {
        let retry = JobRetry(limit: 20, first: .seconds(10), longest: .seconds(21_600))
        #expect(retry.pause(afterFailure: 1, jitter: 0) == .seconds(5))
        #expect(retry.pause(afterFailure: 1, jitter: 1) == .seconds(10))
        #expect(retry.pause(afterFailure: 3, jitter: 1) == .seconds(40))
        #expect(retry.pause(afterFailure: 20, jitter: 1) == .seconds(21_600))
        let endless = JobRetry(limit: .max, first: .seconds(Int64.max), longest: .seconds(Int64.max))
        #expect(endless.pause(afterFailure: .max, jitter: 0) == .seconds(1_577_880_000))
        let negative = JobRetry(limit: 1, first: .seconds(-5), longest: .seconds(-1))
        #expect(negative.pause(afterFailure: 9, jitter: 0.3) <= .zero)
    }

    @Test("a reason is shortened at a scalar")
    func shortened() {
        let text = String(repeating: "é", count: 1_000)
        #expect(JobRecord.shortened(text).utf8.count == 1_024)
        #expect(JobRecord.shortened("a" + text).utf8.count == 1_023)
        #expect(JobRecord.shortened("short") == "short")
    }
}
