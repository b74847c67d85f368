internal import Heartwood
internal import HeartwoodFileSystem
package import HeartwoodTesting

/// A workload on a simulated disk, with everything written down that its crashes are judged by.
///
/// It can bear faults: then every error is looked at, what became of the write is noted, and the run goes on as a
/// service would, by waiting for space or by opening the store again.
package final class WorkRun {
    package let workload: Workload
    package let seed: UInt64
    package let disk: SimulatedDisk
    let plan: WorkPlan
    let bearsFaults: Bool
    private let closesAtTheEnd: Bool
    let history = History()
    let clock = ManualClock(milliseconds: WorkPlan.start)
    let delays = ManualDelays()
    /// nil while no store is open.
    let watch = Locked<Watch?>(nil)
    /// Whether the run's task has nothing to do until the log writer has nothing to do.
    private let isIdle = Locked(false)
    var store: Store?
    /// What readers must find.
    var current: Chain.State = [:]
    /// The number that the next accepted write must get.
    var nextSequence: SequenceNumber = 1
    /// Whether this opening has accepted a write.
    var hasAccepted = false
    /// Whether the last opening accepted writes and was closed in order.
    var wasClosed = false
    /// Everything up to here was accepted.
    var lastAccepted: SequenceNumber = 0
    var random: SeededRandom
    /// From which call on the disk is full; nil for never.
    private let fullFrom = Locked<Int?>(nil)
    /// Cancelled at the next renaming.
    let cancellable = Locked<Task<SequenceNumber, any Error>?>(nil)
    /// Snapshots that are held, with what they must show.
    var held: [HeldState] = []
    /// Whether a compaction is under way.
    var isCompacting = false
    /// Stops compaction in its midst.
    let pause = CompactionPause()
    /// Faults by chance, in every step anew: what a step has to heal to get over them ends with it.
    package var chance: RandomFaults?

    static let path = "/data/store"

    /// What can be seen of the store from the log writer's thread. (Functions by themselves in a `Locked` would be
    /// wrapped once more by each access.)
    struct Watch: Sendable {
        /// Tells up to where readers see.
        let readable: @Sendable () -> SequenceNumber
        /// Tells whether the run's task waits for the store.
        let waits: @Sendable () -> Bool
    }

    package init(
        _ workload: Workload, seed: UInt64, length: Int, bearsFaults: Bool = false, closesAtTheEnd: Bool = false
    ) {
        self.workload = workload
        self.seed = seed
        self.bearsFaults = bearsFaults
        self.closesAtTheEnd = closesAtTheEnd
        plan = WorkPlan(workload, seed: seed, length: length)
        // Another identity for each workload, so that no image comes twice.
        disk = SimulatedDisk(seed: SeededRandom.mix(seed) ^ workload.rawValue.utf8.reduce(0) { $0 << 7 ^ UInt64($1) })
        random = SeededRandom(seed, 11)
        let (disk, watch, fullFrom, cancellable) = (disk, watch, fullFrom, cancellable)
        let isIdle = isIdle
        let pause = pause
        // The disk keeps this closure, which must not keep the disk.
        disk.observe { [weak disk] operation, path in
            guard let disk else { return }
            // Within the store's lock.
            if operation == .store { return }
            pause.meet(operation, path)
            // The one task first goes as far as it can, so that all things happen in the same order in every run.
            if workload.isDeterministic, operation != .read {
                spin { isIdle.withLock { $0 } || pause.isAwaited || watch.withLock { $0 }?.waits() ?? true }
            }
            if operation == .rename { cancellable.withLock { $0 }?.cancel() }
            if let call = fullFrom.withLock({ $0 }), disk.trace.callCount >= call { disk.capacity = 0 }
            if let sequence = watch.withLock({ $0 })?.readable() { disk.note(HistoryNote.readable(sequence)) }
            // Where tasks run side by side writes and syncs take their time, so that they do something meanwhile.
            if workload.hasTasks, operation == .sync || operation == .write { for _ in 0..<20 { yieldThread() } }
        }
    }

    /// The writes, with what became of them.
    package var operations: [WorkOperation] { history.operations }

    /// What must survive, for each moment of the run.
    package func timeline() throws -> Timeline { try Timeline(disk.trace, history.operations) }

    /// What happened, one call or note a line.
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

    /// Runs the workload to its end.
    ///
    /// - Throws: `Violation`; without faults also whatever the store throws.
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
            }
        }
        // An opening that writes nothing leaves no mark, so it proves nothing when it closes.
        if closesAtTheEnd, !workload.hasTasks {
            try await write([WorkChange(key: "last", value: .number(seed))], .synced, .none)
        }
        if closesAtTheEnd || random.oneIn(2) { try await close() } else { drop() }
    }

    /// Half of the runs write the log by calls.
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
        // Half of those that open again compact as they close.
        configuration.segmentsAtClose = SeededRandom.mix(seed) & 2 == 0 ? 2 : .max
        if workload.hasTasks {
            // Short, so that the writer's own syncs and marks come in the midst of it.
            configuration.timing.write = 50_000
            configuration.timing.sync = 400_000
            configuration.timing.mark = 100_000
        } else {
            configuration.delays = .manual(delays)
        }
        return configuration
    }

    // MARK: - Full disks

    /// From this call on the disk has no block left that isn't taken.
    func fill(from call: Int?) { fullFrom.withLock { $0 = call } }

    /// Takes the disturbance away.
    func relieve() {
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
        case .moveClock(let delta): moveClock(delta)
        case .reopen(let closes):
            if closes { try await close() } else { drop() }
            try await open()
        case .compact(let call, let steps): try await compact(pauseAt: call, steps)
        case .hold: hold()
        case .release: try release()
        }
    }

    private func moveClock(_ delta: UInt64) {
        clock.set(clock.now().milliseconds + delta)
        disk.note(HistoryNote.clock(clock.now().milliseconds))
    }

    /// Waits until the log writer has nothing to do.
    func settle() { letWriterGoOn { $0.settle() } }

    /// Moves the log writer's clock, and waits until it has done what is due then.
    func moveDelays(by nanoseconds: UInt64) { letWriterGoOn { $0.moveDelays(delays, by: nanoseconds) } }

    func letWriterGoOn(_ body: (Store) -> Void) {
        isIdle.withLock { $0 = true }
        body(store!)
        isIdle.withLock { $0 = false }
    }

    /// Closes the store. Where that compacts, the task waits for compaction, and others make calls meanwhile.
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
        // Promised are 10 ms to the kernel and a second to the disk, whatever was asked.
        if nanoseconds >= 10_000_000, !hasPendingFaults { disk.note(HistoryNote.written(lastAccepted)) }
        if nanoseconds >= 1_000_000_000, !hasPendingFaults { disk.note(HistoryNote.synced(lastAccepted)) }
    }

    private var hasPendingFaults: Bool { bearsFaults && store!.state != .ready }

    private func flush() async throws {
        do throws(StoreError) {
            try await store!.flush()
            disk.note(HistoryNote.synced(lastAccepted))
            settle()
        } catch {
            try await bear(error)
        }
    }

    func read(_ key: String) async throws {
        let found: [UInt8]?
        do throws(StoreError) {
            found = try store!.get(key)
        } catch {
            guard bearsFaults, Self.isOfEnvironment(error.code) else {
                throw Violation("reading \(key): \(error)")
            }
            return
        }
        let now = clock.now().milliseconds
        let held = current[key].flatMap { $0.expires == 0 || $0.expires > now ? $0 : nil }
        guard let held else {
            guard found == nil else {
                throw Violation("reading \(key): a value of \(found!.count) bytes, where none is")
            }
            return
        }
        guard let found, held.value.matches(found) else {
            throw Violation("reading \(key): \(found.map { "\($0.count) bytes" } ?? "nothing"), not \(held)")
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
