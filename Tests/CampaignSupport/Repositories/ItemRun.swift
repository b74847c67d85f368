internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodRepository
package import HeartwoodTesting

/// A random history of repositories on a simulated disk: several program versions, one after the other, each with tasks
/// that write while maintenance runs. Everything needed to judge its crashes is noted.
package final class ItemRun {
    package let seed: UInt64
    package let disk: SimulatedDisk
    let world: ItemWorld
    let bounds: StoreBounds
    let log: AttemptLog
    let clock = ManualClock(milliseconds: 1_700_000_000_000)
    /// The last is the program that opens what a crash left.
    let programs: [ItemProgram]
    /// Whether a call of the disk fails.
    package let hasFault: Bool
    /// Writes that unique indexes have refused.
    let refusals = Locked(0)
    /// The latest time that the store may have.
    private let latest = Locked<UInt64>(0)
    private let usesCalls: Bool
    private var random: SeededRandom

    static let path = "/data/store"

    package init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed, 20)
        disk = SimulatedDisk(seed: SeededRandom.mix(seed ^ 0x5EED))
        world = ItemWorld(
            seed: seed, slots: random.number(in: 6...20), collides: random.oneIn(2), rounds: random.oneIn(2),
            versions: random.pick([
                [1, 2, 3], [1, 128, Int(Int32.max)], [Int(Int32.max) - 2, Int(Int32.max) - 1, Int(Int32.max)],
            ]))
        bounds = StoreBounds(operations: random.number(in: 24...60), hasOtherWriters: random.oneIn(6))
        usesCalls = random.oneIn(2)
        hasFault = random.oneIn(4)
        var programs: [ItemProgram] = []
        for _ in 0..<random.number(in: 2...4) { programs.append(ItemProgram(after: programs.last, &random)) }
        self.programs = programs
        log = AttemptLog(disk)
        self.random = random
    }

    /// How many writes it has tried.
    package var attemptCount: Int { log.attempts.count }
    /// How many of them unique indexes have refused.
    package var refusalCount: Int { refusals.withLock { $0 } }

    private func configuration() -> Store.Configuration {
        var configuration = Store.Configuration.quiet(disk, clock)
        configuration.delays = .system
        configuration.logWriting = usesCalls ? .calls : .mapped
        // Short, so that the log writer's own syncs happen during the run.
        configuration.timing.write = 50_000
        configuration.timing.sync = 400_000
        configuration.timing.mark = 100_000
        return configuration
    }

    /// - Throws: `Violation`; without faults also any error of the store.
    package func run() async throws {
        for (number, program) in programs.dropLast().enumerated() {
            if hasFault, random.oneIn(4) { injectFault() }
            try await live(program, isFirst: number == 0)
            if random.oneIn(2) { clock.advance(by: UInt64(random.below(4_000))) }
        }
    }

    /// Sets the clock some times. Noted before, so that no write is later than the note.
    private static func jump(
        _ clock: ManualClock, _ latest: Locked<UInt64>, _ log: AttemptLog, _ random: inout SeededRandom
    ) async {
        for _ in 0..<random.below(3) {
            for _ in 0..<random.below(20) { await Task.yield() }
            let delta = ManualClock.jump(&random)
            let next = UInt64(Int64(clock.now().milliseconds) + delta)
            latest.withLock { latest in
                latest = max(latest, next)
                log.noteClock(next, latest: latest)
            }
            clock.jump(by: delta)
        }
    }

    private func injectFault() {
        let error = random.pick([ErrorNumber.EIO, ErrorNumber.ENOSPC])
        let kinds: Set<FileSystemError.Operation> = random.pick([[.write], [.sync], [.allocate], [.write, .sync], []])
        disk.inject(Fault(kinds, .error(error), at: random.number(in: 1...60), times: random.pick([1, 1, 3])))
    }

    /// One opening of the store by one program.
    private func live(_ program: ItemProgram, isFirst: Bool) async throws {
        let store = try await open()
        latest.withLock { [clock] latest in
            latest = max(latest, store.now.milliseconds)
            log.noteClock(clock.now().milliseconds, latest: latest)
        }
        do {
            try await judge(store, "opened again")
            let bounded = BoundedStore(store, bounds, yields: random.below(3))
            if hasFault, !random.oneIn(3) { injectFault() }
            let handles = try await program.openAll(in: bounded, world)
            try await writeInTasks(handles, bounded, isFirst: isFirst)
        } catch let error as StoreError where hasFault {
            try expect(Self.isOfDisk(error.code), "a fault of the disk became \(error)")
        }
        disk.heal()
        if store.state == .ready { try await judge(store, "written to") }
        guard random.oneIn(2) else { return }
        do {
            try await store.close()
        } catch {
            guard hasFault else { throw error }
        }
    }

    private func open() async throws -> Store {
        // Another thread may release the last reference to a dropped store a little later.
        while disk.isLocked(Self.path + "/LOCK") { await Task.yield() }
        do {
            return try await Store.open(at: Self.path, configuration: configuration())
        } catch {
            guard hasFault else { throw Violation("the store doesn't open: \(error)") }
            disk.heal()
            while disk.isLocked(Self.path + "/LOCK") { await Task.yield() }
            return try await Store.open(at: Self.path, configuration: configuration())
        }
    }

    /// Errors that name a fault of the disk, or follow from one.
    static func isOfDisk(_ code: StoreError.Code) -> Bool {
        WorkRun.isOfEnvironment(code) || [.failed, .outcomeUnknown, .closed].contains(code)
    }

    private func judge(_ store: Store, _ when: String) async throws {
        disk.heal()
        let expectation = timeline().expectation(after: .max, keepsAll: !hasFault)
        do {
            let stored = try StoredItems(store)
            try stored.judge()
            try ItemJudge(expectation, try stored.decode(world)).judge()
        } catch let violation as Violation {
            throw Violation("in the run, \(when): \(violation)")
        }
    }

    /// What must survive, for each point of the run.
    package func timeline() -> ItemTimeline {
        ItemTimeline(disk.trace, log, programs.last!, world, bounds, keepsKernel: !hasFault)
    }

    // MARK: - Tasks

    private func writeInTasks(_ handles: [any ItemHandle], _ store: BoundedStore, isFirst: Bool) async throws {
        let random = SeededRandom(seed, 22, self.random.next())
        let writer = ItemWriter(
            handles: handles, store: store, log: log, world: world, hasFault: hasFault, refusals: refusals)
        let (length, compacts) = (self.random.number(in: 3...9), self.random.oneIn(3))
        let maintains = !self.random.oneIn(4)
        if isFirst { try await writer.fill(random) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<3 {
                group.addTask { try await writer.write(count: length, SeededRandom(random.state(task))) }
            }
            for handle in handles where maintains {
                group.addTask { try await writer.maintain(handle, SeededRandom(random.state(10 + handle.repository))) }
            }
            if compacts { group.addTask { try await writer.compact() } }
            group.addTask { [clock, latest, log] in
                var random = SeededRandom(random.state(20))
                await Self.jump(clock, latest, log, &random)
            }
            try await group.waitForAll()
        }
    }
}

extension SeededRandom {
    /// A seed for a task, from the next number of this generator.
    fileprivate func state(_ task: Int) -> UInt64 {
        var copy = self
        return SeededRandom.mix(copy.next() ^ UInt64(task))
    }
}

/// What is known at each point of a run.
package struct ItemTimeline: Sendable {
    private var attempts: [Attempt]
    /// The clock and the latest time, and from which event on.
    private var clocks: [(event: Int, milliseconds: UInt64, latest: UInt64)] = []
    private let template: ItemExpectation
    private let keepsKernel: Bool

    init(
        _ trace: DiskTrace, _ log: AttemptLog, _ program: ItemProgram, _ world: ItemWorld, _ bounds: StoreBounds,
        clock: UInt64 = 0, latest: UInt64 = 0, keepsKernel: Bool
    ) {
        attempts = log.attempts
        self.keepsKernel = keepsKernel
        for (position, event) in trace.events.enumerated() {
            guard case .note(let note) = event, let note = note as? AttemptLog.Note else { continue }
            switch note {
            case .submitted(let number): attempts[number].submitted = position
            case .acknowledged(let number): attempts[number].acknowledged = position
            case .clock(let milliseconds, let latest): clocks.append((position, milliseconds, latest))
            }
        }
        let next = log.next
        template = ItemExpectation(
            program: program, world: world, bounds: bounds, attempts: attempts, events: 0, keepsAll: false,
            clock: clock, latest: latest, nextStamp: next.stamp, nextBit: next.bit)
    }

    /// What must be there after a crash.
    ///
    /// - Parameter keepsAll: Whether no pending write was lost, as after the death of a process.
    package func expectation(after events: Int, keepsAll: Bool) -> ItemExpectation {
        var expectation = template
        expectation.events = events
        expectation.keepsAll = keepsAll && keepsKernel
        if let clock = clocks.last(where: { $0.event < events }) {
            (expectation.clock, expectation.latest) = (clock.milliseconds, clock.latest)
        }
        return expectation
    }
}
