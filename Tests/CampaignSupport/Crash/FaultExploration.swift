internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// Failures of one workload. Each call of a run fails in each way that such a call can fail, once and for ever. Crashes
/// of the result follow.
package final class FaultExploration {
    /// How one run is disturbed.
    package struct Disturbance: Sendable, CustomStringConvertible {
        var fault: Fault?
        /// Whether the store must hide the fault from its callers.
        var isTransparent = false
        /// Instead of one fault, one call in `oneIn` fails.
        var oneIn = 0
        /// Instead of a fault, the disk has no free block from this call on.
        var fullFrom: Int?

        package var description: String {
            if let fullFrom { return "a full disk from call \(fullFrom) on" }
            return fault.map { "\($0)" } ?? "one call in \(oneIn) failing"
        }
    }

    package let workload: Workload
    package let length: Int
    /// Runs with a fault of their own, failed calls in them, and checked crashes of them.
    package private(set) var totals = Tally()
    /// The faults by operation, error, and whether once or for ever.
    package private(set) var classes = Tally()
    private let onlyFullDisks: Bool
    private var judging: (image: DiskImage, expectation: Expectation)?

    package init(_ workload: Workload, length: Int, onlyFullDisks: Bool = false) {
        self.workload = workload
        self.length = length
        self.onlyFullDisks = onlyFullDisks
    }

    /// Runs the workload once for each disturbance. If fewer are wanted, they are spread over the run.
    ///
    /// - Parameters:
    ///   - only: The number of the only disturbance.
    ///   - wanted: The number of faults at which it stops.
    /// - Throws: `ExplorationFailure`.
    package func explore(
        seed: UInt64, only: Int? = nil, until wanted: Int = .max, progress: () -> Void = {}
    ) async throws {
        let clean = WorkRun(workload, seed: seed, length: length, toleratesFaults: true)
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
                let position = (number + shift) % disturbances.count
                if position * share / disturbances.count == (position + 1) * share / disturbances.count { continue }
            }
            if totals.faults >= wanted { return }
            let run = WorkRun(workload, seed: seed, length: length, toleratesFaults: true)
            if let fault = disturbance.fault { run.disk.inject(fault) }
            run.fill(from: disturbance.fullFrom)
            if disturbance.oneIn > 0 { run.chance = RandomFaults(oneIn: disturbance.oneIn) }
            judging = nil
            do {
                try await run.run()
                run.removeFaults()
                try await judge(run, disturbance, cleanImage: image)
            } catch {
                throw ExplorationFailure(
                    title: "\(workload), seed \(seed), with \(disturbance)", cause: error,
                    left: judging.map { ($0.image, $0.expectation) }, lines: run.describe().suffix(60),
                    repetition: "--workload \(workload) --seed \(seed) --length \(length)"
                        + "\(onlyFullDisks ? " --full-disk" : "") --only \(number)",
                    isExact: workload.isDeterministic)
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
            classes["full disk"] += 1
            return
        }
        let injected = run.disk.injected
        guard let first = injected.first else { return }
        totals.faults += 1
        totals.failedCalls += injected.count
        var kind = "short"
        if let code = first.failure { kind = FileSystemError(operation: first.operation, path: "", code: code).symbol }
        guard let fault = disturbance.fault else {
            classes["several by chance"] += 1
            return
        }
        if case .errorAfterwards = fault.effect { kind += ", though done" }
        if case .errorHalfway = fault.effect { kind += ", half done" }
        let times = fault.times == .max ? " for ever" : ""
        classes["\(first.operation.rawValue): \(kind)\(times)"] += 1
    }

    // MARK: - Faults

    /// Every call of a run, failing in every way that such a call can fail.
    static func disturbances(of trace: DiskTrace) -> [Disturbance] {
        var all: [Disturbance] = []
        var seen: [FileSystemError.Operation: Int] = [:]
        for call in trace.calls {
            let operation = call.operation
            seen[operation, default: 0] += 1
            for effect in errors(of: operation) {
                all.append(Disturbance(fault: Fault([], effect, at: call.number + 1)))
                all.append(Disturbance(fault: Fault(operation, effect, at: seen[operation]!, times: .max)))
            }
            all.append(Disturbance(fault: Fault([], .error(ErrorNumber.EIO), at: call.number + 1, times: .max)))
            if operation == .allocate || operation == .write {
                all.append(Disturbance(fullFrom: call.number))
            }
            for (effect, times) in harmlessFailures(of: operation) {
                let fault = Fault(operation, effect, at: seen[operation]!, times: times)
                all.append(Disturbance(fault: fault, isTransparent: true))
            }
        }
        return all + (2..<60).map { Disturbance(oneIn: $0) }
    }

    /// Failures that a store must report.
    private static func errors(of operation: FileSystemError.Operation) -> [Fault.Effect] {
        let (inputOutput, noSpace) = (Fault.Effect.error(ErrorNumber.EIO), Fault.Effect.error(ErrorNumber.ENOSPC))
        let inputOutputAfterwards = Fault.Effect.errorAfterwards(ErrorNumber.EIO)
        switch operation {
        case .read, .status, .list: return [inputOutput]
        case .map: return [inputOutput, noSpace]
        case .store: return []
        case .write: return [inputOutput, .errorHalfway(ErrorNumber.EIO), noSpace]
        case .allocate: return [noSpace, .error(ErrorNumber.EDQUOT), inputOutput]
        case .sync:
            let others = [Fault.Effect.error(ErrorNumber.EDQUOT), .error(ErrorNumber.EINTR)]
            return [inputOutput, inputOutputAfterwards, noSpace] + others
        case .open, .lock:
            return [.error(ErrorNumber.EMFILE), noSpace, inputOutput, .error(ErrorNumber.EACCES)]
        case .createDirectory, .rename: return [noSpace, inputOutput, inputOutputAfterwards]
        case .syncDirectory, .truncate, .remove, .close: return [inputOutput, inputOutputAfterwards]
        }
    }

    /// Failures that the store must hide from its callers, with their number.
    private static func harmlessFailures(of operation: FileSystemError.Operation) -> [(Fault.Effect, Int)] {
        switch operation {
        case .read: [(.short(1), 1), (.short(600), .max), (.error(ErrorNumber.EINTR), 3)]
        case .write: [(.short(1), 1), (.short(513), .max), (.error(ErrorNumber.EINTR), 3)]
        case .allocate: [(.error(ErrorNumber.EINTR), 3), (.error(ErrorNumber.EOPNOTSUPP), .max)]
        default: []
        }
    }

    // MARK: - Checks

    private func judge(_ run: WorkRun, _ disturbance: Disturbance, cleanImage: UInt64) async throws {
        let trace = run.disk.trace
        if workload.isDeterministic { try SyncRule.check(trace, run.operations) }
        if disturbance.fullFrom != nil { try SpaceRule.check(trace) }
        // More calls stop a compaction at another point.
        if disturbance.isTransparent, workload.isDeterministic, workload != .compaction {
            try expect(
                run.disk.image.fingerprint(ignoring: Self.isLock) == cleanImage,
                "a failure that the store must hide changed what is on the disk")
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

    /// After a failed sync, the death of the process doesn't leave an image that shows everything.
    private func hasStranded(_ trace: DiskTrace) -> Bool {
        trace.calls.contains { $0.operation == .sync && $0.failure != nil }
    }
}

/// Accepted writes have preallocated space: on a full disk allocations are refused, but never a write.
enum SpaceRule {
    static func check(_ trace: DiskTrace) throws {
        let isExempt = { (path: String) in path.hasSuffix("/LOCK") || path.hasSuffix(".snapshot.tmp") }
        for call in trace.calls where call.operation == .write && !isExempt(call.path) {
            try expect(call.failure != ErrorNumber.ENOSPC, "a write was accepted without space: call \(call)")
        }
    }
}

/// After a failed sync nothing is acknowledged and no sync is repeated until the store is opened again.
enum SyncRule {
    static func check(_ trace: DiskTrace, _ operations: [WorkOperation]) throws {
        var failed: DiskCall?
        var submittedSince: Set<Int> = []
        for event in trace.events {
            switch event {
            case .call(let call):
                if call.operation == .lock { (failed, submittedSince) = (nil, []) }
                // A snapshot that can't be synced is abandoned, and nothing depends on it.
                guard call.operation == .sync, !call.path.hasSuffix(".snapshot.tmp") else { continue }
                if let failed { throw Violation("call \(call), after a sync had failed: \(failed)") }
                if call.failure != nil { failed = call }
            case .note(let note):
                guard let failed else { continue }
                switch note as? HistoryNote {
                case .submitted(let number)?: submittedSince.insert(number)
                case .acknowledged(let number)?:
                    // A write that asked for no sync may have ended before, and be noted only now.
                    try expect(
                        operations[number].durability != .synced && !submittedSince.contains(number),
                        "write \(number) was acknowledged after a sync had failed: \(failed)")
                default: break
                }
            }
        }
    }
}
