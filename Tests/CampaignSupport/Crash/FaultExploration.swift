internal import Heartwood
internal import HeartwoodFileSystem
package import HeartwoodTesting

/// Failures of one workload: each call of a run fails, in each way that such a call may fail, once and for ever; then
/// crashes of what came of it.
package final class FaultExploration {
    /// What was done.
    package struct Totals: Sendable {
        /// Runs in which something failed: each with a fault of its own.
        package var faults = 0
        /// Calls that failed in them.
        package var failedCalls = 0
        /// Crashes of those runs that were judged.
        package var crashes = 0
        /// Faults by what failed, how, and whether once or for ever.
        package var byClass: [String: Int] = [:]
    }

    /// A run that broke a promise.
    package struct Failure: Error, CustomStringConvertible {
        package let workload: Workload
        package let seed: UInt64
        package let length: Int
        package let fault: String
        package let number: Int
        package let cause: any Error
        /// The calls and notes of the run, one a line.
        package let history: [String]
        /// What a crash of the run left, and what should have been found, where it was found there.
        package let left: (image: DiskImage, expectation: Expectation)?

        package var description: String { "\(workload), seed \(seed), with \(fault): \(cause)" }
    }

    /// One way in which one run is disturbed.
    package struct Disturbance: Sendable, CustomStringConvertible {
        let fault: Fault?
        /// Whether nobody may notice.
        let isTransparent: Bool
        /// In place of one fault: many, one call in so many, also while the run gets over another.
        var oneIn = 0
        /// In place of a fault: from this call on the disk has no block left that isn't taken.
        var fullFrom: Int?

        package var description: String {
            if let fullFrom { return "a full disk from call \(fullFrom) on" }
            return fault.map { "\($0)" } ?? "one call in \(oneIn) failing"
        }
    }

    package let workload: Workload
    package let length: Int
    package private(set) var totals = Totals()
    private var judging: (image: DiskImage, expectation: Expectation)?

    private let onlyFullDisks: Bool

    package init(_ workload: Workload, length: Int, onlyFullDisks: Bool = false) {
        self.workload = workload
        self.length = length
        self.onlyFullDisks = onlyFullDisks
    }

    /// Runs the workload once for each disturbance, or, where fewer are wanted, for some from all over the run.
    ///
    /// - Parameters:
    ///   - only: The number of the only one.
    ///   - wanted: Stops once there were so many faults.
    /// - Throws: `Failure`.
    package func explore(
        seed: UInt64, only: Int? = nil, until wanted: Int = .max, progress: () -> Void = {}
    ) async throws {
        let clean = WorkRun(workload, seed: seed, length: length, bearsFaults: true)
        try await clean.run()
        let image = clean.disk.image.fingerprint(ignoring: Self.isLock)
        let disturbances = Self.disturbances(of: clean.disk.trace).filter { !onlyFullDisks || $0.fullFrom != nil }
        let share = min(disturbances.count, max(1, wanted - totals.faults))
        var random = SeededRandom(seed, 15)
        let shift = random.below(disturbances.count)
        for (number, disturbance) in disturbances.enumerated() {
            if let only {
                guard number == only else { continue }
            } else {
                let place = (number + shift) % disturbances.count
                if place * share / disturbances.count == (place + 1) * share / disturbances.count { continue }
            }
            if totals.faults >= wanted { return }
            let run = WorkRun(workload, seed: seed, length: length, bearsFaults: true)
            if let fault = disturbance.fault { run.disk.inject(fault) }
            run.fill(from: disturbance.fullFrom)
            if disturbance.oneIn > 0 { run.chance = RandomFaults(oneIn: disturbance.oneIn) }
            judging = nil
            do {
                try await run.run()
                run.relieve()
                try await judge(run, disturbance, cleanImage: image)
            } catch {
                throw Failure(
                    workload: workload, seed: seed, length: length, fault: disturbance.description, number: number,
                    cause: error, history: run.describe(), left: judging)
            }
            note(run, disturbance)
            progress()
        }
    }

    private static func isLock(_ path: String) -> Bool { path.hasSuffix("/LOCK") }

    private func note(_ run: WorkRun, _ disturbance: Disturbance) {
        if disturbance.fullFrom != nil {
            let refused = run.disk.trace.calls.filter { $0.failure == ErrorNumber.ENOSPC }
            guard !refused.isEmpty else { return }
            totals.faults += 1
            totals.failedCalls += refused.count
            totals.byClass["full disk", default: 0] += 1
            return
        }
        let injected = run.disk.injected
        guard let first = injected.first else { return }
        totals.faults += 1
        totals.failedCalls += injected.count
        var kind = "short"
        if let code = first.failure { kind = FileSystemError(operation: first.operation, path: "", code: code).symbol }
        guard let fault = disturbance.fault else {
            totals.byClass["several by chance", default: 0] += 1
            return
        }
        if case .errorAfterwards = fault.effect { kind += ", though done" }
        if case .errorHalfway = fault.effect { kind += ", half done" }
        let times = fault.times == .max ? " for ever" : ""
        totals.byClass["\(first.operation.rawValue): \(kind)\(times)", default: 0] += 1
    }

    // MARK: - What fails

    /// Every call of a run, failing in every way that such a call may.
    static func disturbances(of trace: DiskTrace) -> [Disturbance] {
        var all: [Disturbance] = []
        var seen: [FileSystemError.Operation: Int] = [:]
        for call in trace.calls {
            let operation = call.operation
            seen[operation, default: 0] += 1
            for effect in errors(of: operation) {
                all.append(Disturbance(fault: Fault([], effect, at: call.number + 1), isTransparent: false))
                all.append(
                    Disturbance(
                        fault: Fault(operation, effect, at: seen[operation]!, times: .max), isTransparent: false))
            }
            all.append(
                Disturbance(
                    fault: Fault([], .error(ErrorNumber.EIO), at: call.number + 1, times: .max), isTransparent: false))
            if operation == .allocate || operation == .write {
                all.append(Disturbance(fault: nil, isTransparent: false, fullFrom: call.number))
            }
            for (effect, times) in nuisances(of: operation) {
                all.append(
                    Disturbance(
                        fault: Fault(operation, effect, at: seen[operation]!, times: times), isTransparent: true))
            }
        }
        for oneIn in 2..<60 { all.append(Disturbance(fault: nil, isTransparent: false, oneIn: oneIn)) }
        return all
    }

    /// Failures that a store must report.
    private static func errors(of operation: FileSystemError.Operation) -> [Fault.Effect] {
        switch operation {
        case .read, .status, .list: [.error(ErrorNumber.EIO)]
        case .map: [.error(ErrorNumber.EIO), .error(ErrorNumber.ENOSPC)]
        case .store: []
        case .write: [.error(ErrorNumber.EIO), .errorHalfway(ErrorNumber.EIO), .error(ErrorNumber.ENOSPC)]
        case .allocate:
            [.error(ErrorNumber.ENOSPC), .error(ErrorNumber.EDQUOT), .error(ErrorNumber.EIO)]
        case .sync:
            [
                .error(ErrorNumber.EIO), .errorAfterwards(ErrorNumber.EIO), .error(ErrorNumber.ENOSPC),
                .error(ErrorNumber.EDQUOT), .error(ErrorNumber.EINTR),
            ]
        case .open, .lock:
            [
                .error(ErrorNumber.EMFILE), .error(ErrorNumber.ENOSPC), .error(ErrorNumber.EIO),
                .error(ErrorNumber.EACCES),
            ]
        case .createDirectory, .rename:
            [.error(ErrorNumber.ENOSPC), .error(ErrorNumber.EIO), .errorAfterwards(ErrorNumber.EIO)]
        case .syncDirectory, .truncate, .remove, .close:
            [.error(ErrorNumber.EIO), .errorAfterwards(ErrorNumber.EIO)]
        }
    }

    /// Failures that nobody may notice, with how many times.
    private static func nuisances(of operation: FileSystemError.Operation) -> [(Fault.Effect, Int)] {
        switch operation {
        case .read: [(.short(1), 1), (.short(600), .max), (.error(ErrorNumber.EINTR), 3)]
        case .write: [(.short(1), 1), (.short(513), .max), (.error(ErrorNumber.EINTR), 3)]
        case .allocate: [(.error(ErrorNumber.EINTR), 3), (.error(ErrorNumber.EOPNOTSUPP), .max)]
        default: []
        }
    }

    // MARK: - What comes of it

    private func judge(_ run: WorkRun, _ disturbance: Disturbance, cleanImage: UInt64) async throws {
        let trace = run.disk.trace
        if workload.isDeterministic { try SyncRule.check(trace, run.operations) }
        if disturbance.fullFrom != nil { try RoomRule.check(trace) }
        // Where a compaction is stopped at one of its calls, more calls stop it elsewhere.
        if disturbance.isTransparent, workload.isDeterministic, workload != .compaction {
            guard run.disk.image.fingerprint(ignoring: Self.isLock) == cleanImage else {
                throw Violation("a nuisance that nobody may notice changed what is on the disk")
            }
        }
        let timeline = try run.timeline()
        var random = SeededRandom(run.seed, UInt64(trace.callCount), 13)
        let end = trace.events.count
        let first = trace.events.firstIndex { if case .call(let call) = $0 { call.isInjected } else { false } } ?? 0
        var states = [
            CrashState(events: end, losses: .nothing), CrashState(events: end, losses: .everything),
            CrashState(events: end, losses: .drawn(random.next() >> 24)),
        ]
        for _ in 0..<2 {
            let moment = random.number(in: first...end)
            states.append(CrashState(events: moment, losses: .drawn(random.next() >> 24)))
        }
        for state in states {
            let crash = trace.crash(state)
            let keepsAll = crash.image.fingerprint() == crash.extremes.nothingLost
            let expectation = timeline.expectation(after: state.events, keepsAll: keepsAll && !hasStranded(trace))
            judging = (crash.image, expectation)
            do {
                _ = try await StoreCheck(crash.image, expectation, seed: crash.image.fingerprint()).run()
            } catch {
                throw Violation("after a crash (\(state)): \(error)")
            }
            totals.crashes += 1
        }
    }

    /// After a failed sync an image that shows everything is not what the death of the process leaves.
    private func hasStranded(_ trace: DiskTrace) -> Bool {
        trace.calls.contains { $0.operation == .sync && $0.failure != nil }
    }
}

/// What was accepted has its room: on a full disk it is allocations that are refused, and never a write.
enum RoomRule {
    static func check(_ trace: DiskTrace) throws {
        let isExempt = { (path: String) in path.hasSuffix("/LOCK") || path.hasSuffix(".snapshot.tmp") }
        for call in trace.calls where call.operation == .write && !isExempt(call.path) {
            guard call.failure != ErrorNumber.ENOSPC else {
                throw Violation("a write was accepted for which there was no room: call \(call)")
            }
        }
    }
}

/// After a failed sync nothing more is acknowledged, and no sync is tried again, until the store is opened anew.
enum SyncRule {
    static func check(_ trace: DiskTrace, _ operations: [WorkOperation]) throws {
        var failed: DiskCall?
        var submittedSince: Set<Int> = []
        for event in trace.events {
            switch event {
            case .call(let call):
                if call.operation == .lock { (failed, submittedSince) = (nil, []) }
                // A snapshot that can't be brought to the disk is given up; nobody was told anything of it.
                guard call.operation == .sync, !call.path.hasSuffix(".snapshot.tmp") else { continue }
                if let failed { throw Violation("call \(call), after a sync had failed: \(failed)") }
                if call.failure != nil { failed = call }
            case .note(let note):
                guard let failed else { continue }
                switch note as? HistoryNote {
                case .submitted(let number)?: submittedSince.insert(number)
                case .acknowledged(let number)?:
                    // One that asked for no sync may have been done before, and only be written down now.
                    guard operations[number].durability != .synced, !submittedSince.contains(number) else {
                        throw Violation("write \(number) was acknowledged after a sync had failed: \(failed)")
                    }
                default: break
                }
            }
        }
    }
}
