internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
package import HeartwoodTesting

/// A workload on a simulated disk, with notes of everything that is needed to judge its crashes.
///
/// It can tolerate faults. Then it checks every error, notes the outcome of the write, and continues like a service: it
/// waits for space, or opens the store again.
package final class WorkRun {
    package let workload: Workload
    package let seed: UInt64
    package let disk: SimulatedDisk
    let plan: WorkPlan
    let toleratesFaults: Bool
    private let closesAtTheEnd: Bool
    let history = History()
    let clock = ManualClock(milliseconds: WorkPlan.start)
    lazy var time = StoreTimeModel(clock, now: WorkPlan.start)
    let delays = ManualDelays()
    /// nil while no store is open.
    let watch = Locked<Watch?>(nil)
    /// Whether the run's task waits until the log writer has nothing to do.
    let isIdle = Locked(false)
    var store: Store?
    /// What readers must see.
    var current: Chain.State = [:]
    /// The sequence number of the next accepted write.
    var nextSequence: SequenceNumber = 1
    /// Whether this opening has accepted a write.
    var hasAccepted = false
    /// Whether the last opening accepted writes and was closed in order.
    var wasClosed = false
    /// Everything up to this sequence number was accepted.
    var lastAccepted: SequenceNumber = 0
    var random: SeededRandom
    /// The number before the first one of this opening.
    var base: SequenceNumber = 0
    /// A copy that follows the store.
    var follower = RunFollower()
    /// Decides when it does. Of its own, so that the rest of a run doesn't depend on it.
    var follows: SeededRandom
    /// The call from which on the disk is full; nil: never.
    private let fullFrom = Locked<Int?>(nil)
    /// The task to cancel at the next renaming.
    let cancellable = Locked<Task<SequenceNumber, any Error>?>(nil)
    /// Read views, with what they must show.
    var views: [PinnedView] = []
    /// Whether a compaction is in progress.
    var isCompacting = false
    let pause = CompactionPause()
    /// Random faults, injected again in every step, because a step may remove them.
    package var chance: RandomFaults?

    static let path = "/data/store"

    /// What the log writer's thread can see of the store. (A struct, because each access would wrap a bare function in
    /// a `Locked` once more.)
    struct Watch: Sendable {
        /// The sequence number up to which readers see.
        let readable: @Sendable () -> SequenceNumber
        /// Whether the run's task waits for the store.
        let waits: @Sendable () -> Bool
    }

    package init(
        _ workload: Workload, seed: UInt64, length: Int, toleratesFaults: Bool = false, closesAtTheEnd: Bool = false
    ) {
        self.workload = workload
        self.seed = seed
        self.toleratesFaults = toleratesFaults
        self.closesAtTheEnd = closesAtTheEnd
        plan = WorkPlan(workload, seed: seed, length: length)
        // Different seeds for each workload, so that no image occurs twice.
        disk = SimulatedDisk(seed: SeededRandom.mix(seed) ^ workload.rawValue.utf8.reduce(0) { $0 << 7 ^ UInt64($1) })
        random = SeededRandom(seed, 11)
        follows = SeededRandom(seed, 14)
        let (disk, watch, fullFrom, cancellable) = (disk, watch, fullFrom, cancellable)
        let isIdle = isIdle
        let pause = pause
        // The disk retains this closure, which must not retain the disk.
        disk.observe { [weak disk] operation, path in
            guard let disk else { return }
            // The store's lock is held.
            if operation == .store { return }
            pause.willCall(operation, path)
            // The run's task first continues until it must wait, so that the order is the same in every run.
            if workload.isDeterministic, operation != .read {
                spin { isIdle.withLock { $0 } || pause.isAwaited || watch.withLock { $0 }?.waits() ?? true }
            }
            if operation == .rename { cancellable.withLock { $0 }?.cancel() }
            if let call = fullFrom.withLock({ $0 }), disk.trace.callCount >= call { disk.capacity = 0 }
            if let sequence = watch.withLock({ $0 })?.readable() { disk.note(HistoryNote.readable(sequence)) }
            // With several tasks, writes and syncs take some time, so that the other tasks do something meanwhile.
            if workload.hasTasks, operation == .sync || operation == .write { for _ in 0..<20 { yieldThread() } }
        }
    }

    /// The writes, with their outcomes.
    package var operations: [WorkOperation] { history.operations }

    /// What must survive, for each point of the run.
    package func timeline() throws -> Timeline { try Timeline(disk.trace, history.operations) }

    /// The calls and notes, one on each line.
    package func describe() -> [String] {
        disk.trace.events.enumerated().map { number, event in
            switch event {
            case .call(let call): return "  [\(number)] \(call)"
            case .note(let note):
                guard case .submitted(let which)? = note as? HistoryNote else { return "  [\(number)] -- \(note)" }
                let operation = operations[which]
                let outcome = operation.sequence.map {
                    "number \($0)\(operation.isSequenceAssumed ? ", if it happened" : "")"
                }
                return "  [\(number)] -- submitted(\(which)): \(operation.durability), \(outcome ?? "refused")"
            }
        }
    }

    /// - Throws: `Violation`; without faults also any error of the store.
    package func run() async throws {
        defer { watch.withLock { $0 = nil } }
        if let chance { disk.inject(chance) }
        try await open()
        if workload.hasTasks {
            try await runTasks()
        } else {
            for step in plan.steps {
                if let chance { disk.inject(chance) }
                try await perform(step)
                try await follow()
            }
        }
        // An opening that writes nothing leaves no sync mark, so its close proves nothing.
        if closesAtTheEnd, !workload.hasTasks {
            try await write([WorkChange(key: "last", value: .number(seed))], .synced, .none)
        }
        if closesAtTheEnd || random.oneIn(2) { try await close() } else { drop() }
    }

    /// Half of the runs write the log with calls.
    static func logWriting(seed: UInt64) -> LogWriting { SeededRandom.mix(seed) & 1 == 0 ? .mapped : .calls }

    func makeConfiguration() -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        configuration.clock = clock
        configuration.logWriting = Self.logWriting(seed: seed)
        configuration.segmentBytes = plan.segmentBytes
        configuration.commitBufferBytes = 64 << 10
        configuration.maximumValueBytes = 1 << 20
        if plan.usesCompression { configuration.compression = .zlib(level: 1, threshold: 300) }
        configuration.compaction.isAutomatic = workload == .compacting || workload == .reopening
        if workload == .compacting { configuration.compaction.minimumLogBytes = 20 << 10 }
        // Half of the runs that reopen compact at the close.
        configuration.segmentsAtClose = SeededRandom.mix(seed) & 2 == 0 ? 2 : .max
        if workload.hasTasks {
            // Short, so that the log writer's own syncs and marks happen during the run.
            configuration.timing.write = 50_000
            configuration.timing.sync = 400_000
            configuration.timing.mark = 100_000
        } else {
            configuration.delays = .manual(delays)
        }
        return configuration
    }

    // MARK: - Full disks

    /// From this call on the disk has no free block.
    func fill(from call: Int?) { fullFrom.withLock { $0 = call } }

    /// Removes all faults.
    func removeFaults() {
        fullFrom.withLock { $0 = nil }
        disk.heal()
        disk.capacity = .max
    }

    // MARK: - Steps

    func perform(_ step: WorkStep) async throws {
        switch step {
        case .write(let changes, let durability, let condition):
            try await write(changes, durability, condition)
        case .cancelledWrite(let changes, let durability): try await writeCancelled(changes, durability)
        case .transaction(let reads, let changes, let durability):
            try await transact(reads, changes, durability)
        case .read(let key): try await read(key)
        case .flush: try await flush()
        case .wait(let nanoseconds): try await wait(nanoseconds)
        case .moveClock(let delta):
            clock.advance(by: delta)
            try readTime()
        case .jumpClock(let delta):
            clock.jump(by: delta)
            try readTime()
        case .reopen(let closes):
            if closes { try await close() } else { drop() }
            try await open()
        case .compact(let call, let steps): try await compact(pauseAt: call, steps)
        case .takeReadView: takeReadView()
        case .releaseReadView: try releaseReadView()
        }
    }

    private func readTime() throws {
        try time.follow(clock, store!)
        disk.note(HistoryNote.clock(clock.now().milliseconds, time: time.now))
    }

    /// Waits until the log writer has nothing to do.
    func settle() { letWriterContinue { $0.settle() } }

    /// Moves the log writer's clock, and waits until it has done what is due then.
    func moveDelays(by nanoseconds: UInt64) { letWriterContinue { $0.moveDelays(delays, by: nanoseconds) } }

    func letWriterContinue(_ body: (Store) -> Void) {
        isIdle.withLock { $0 = true }
        body(store!)
        isIdle.withLock { $0 = false }
    }

    /// Closes the store. If that compacts, the task waits for the compaction, and other threads make calls meanwhile.
    func closeStore() async throws(StoreError) {
        let compacts = workload == .reopening
        if compacts { settle() }
        isIdle.withLock { $0 = compacts }
        defer { isIdle.withLock { $0 = false } }
        try await store!.close()
    }

    private func wait(_ nanoseconds: UInt64) async throws {
        moveDelays(by: nanoseconds)
        if store!.state == .failed { return try await recover() }
        // Every write reaches the kernel within 10 ms and the disk within a second.
        if nanoseconds >= 10_000_000, !hasPendingFaults { disk.note(HistoryNote.written(lastAccepted)) }
        if nanoseconds >= 1_000_000_000, !hasPendingFaults { disk.note(HistoryNote.synced(lastAccepted)) }
    }

    private var hasPendingFaults: Bool { toleratesFaults && store!.state != .ready }

    private func flush() async throws {
        do throws(StoreError) {
            try await store!.sync()
            disk.note(HistoryNote.synced(lastAccepted))
            settle()
        } catch {
            try await handle(error)
        }
    }

    func read(_ key: String) async throws {
        let found: [UInt8]?
        do throws(StoreError) {
            found = try store!.get(key)
        } catch {
            try expect(toleratesFaults && Self.isOfEnvironment(error.code), "reading \(key): \(error)")
            return
        }
        let now = time.now
        let stored = current[key].flatMap { $0.expires == 0 || $0.expires > now ? $0 : nil }
        guard let stored else {
            try expect(found == nil, "reading \(key): a value of \(found!.count) bytes, where none is")
            return
        }
        guard let found, stored.value.matches(found) else {
            throw Violation("reading \(key): \(found.map { "\($0.count) bytes" } ?? "nothing"), not \(stored)")
        }
    }

    /// Every key, one after the other.
    func readAll() async throws {
        for key in current.keys.sorted() { try await read(key) }
    }

    static func isOfEnvironment(_ code: StoreError.Code) -> Bool {
        [.inputOutput, .outOfSpace, .tooManyFiles, .permission].contains(code)
    }
}
