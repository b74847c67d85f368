internal import HeartwoodTesting

/// What must be recovered after a crash.
package struct Expectation: Sendable, Codable {
    /// The possible states.
    package var chain: Chain
    /// The lowest sequence number that may be recovered.
    package var low: UInt64
    /// The highest sequence number that may be recovered.
    package var high: UInt64
    /// The largest sequence number that a caller has seen. Numbers up to it must not be given to another write.
    package var newestSeen: UInt64
    /// The wall clock, in milliseconds.
    package var clock: UInt64
    /// What the time of the store may be.
    package var time: ClosedRange<UInt64>
}

/// What must survive a crash, for each point of a run.
///
/// It knows the rest of the run: the sequence number of each write that was in progress at the crash.
package struct Timeline {
    /// What is known at one point of the run.
    struct Bounds {
        /// Survives a loss of power.
        var onDisk: UInt64 = 0
        /// Survives the death of the process.
        var inKernel: UInt64 = 0
        /// Was submitted.
        var submitted: UInt64 = 0
        var seen: UInt64 = 0
        var clock: UInt64 = WorkPlan.start
        /// The store's time, and the latest one that survives a loss of power, and the death of the process.
        var time: UInt64 = WorkPlan.start
        var timeOnDisk: UInt64 = 0
        var timeInKernel: UInt64 = 0
        /// The number of openings.
        var openings = 0
        /// The sequence number before the first of this opening.
        var base: UInt64 = 0
    }

    private let bounds: [Bounds]
    /// By the number of openings so far.
    private let chains: [Chain]

    /// - Throws: `Violation` if the run itself breaks a promise.
    init(_ trace: DiskTrace, _ operations: [WorkOperation]) throws {
        var all = [Bounds()]
        var alive = operations
        var submittedHere: [Int] = []
        var chains: [Chain] = []
        var now = Bounds()
        for event in trace.events {
            if case .note(let note) = event, let note = note as? HistoryNote {
                switch note {
                case .opened(let recovered, let last):
                    // What was not recovered is lost.
                    chains.append(
                        try Chain(alive.filter { $0.sequence.map { $0 <= max(last, now.submitted) } ?? false }))
                    try Self.checkOpening(recovered: recovered, last: last, now)
                    for number in submittedHere where alive[number].sequence.map({ $0 > recovered }) ?? false {
                        alive[number].sequence = nil
                    }
                    submittedHere = []
                    now.openings += 1
                    now.base = last
                    now.submitted = max(recovered, last)
                    now.onDisk = recovered
                    now.inKernel = recovered
                    now.timeOnDisk = now.timeInKernel
                    now.seen = max(now.seen, last)
                case .submitted(let number): submittedHere.append(number)
                default: break
                }
                now.take(note, operations)
            }
            all.append(now)
        }
        chains.append(try Chain(alive))
        self.chains = chains
        bounds = all
    }

    private static func checkOpening(recovered: UInt64, last: UInt64, _ now: Bounds) throws {
        try expect(
            recovered >= now.inKernel,
            "number \(now.inKernel) was acknowledged, and the next opening recovered only \(recovered)")
        try expect(
            recovered <= now.submitted, "number \(recovered) was recovered, and only \(now.submitted) were written")
        try expect(last >= recovered, "number \(recovered) was recovered, and the next would be \(last + 1)")
    }

    /// What must be recovered after a crash.
    ///
    /// - Parameter keepsAll: Whether no pending write was lost, as after the death of a process.
    package func expectation(after events: Int, keepsAll: Bool) -> Expectation {
        let now = bounds[events]
        let kept = keepsAll ? now.timeInKernel : now.timeOnDisk
        return Expectation(
            chain: chains[now.openings], low: keepsAll ? now.inKernel : now.onDisk, high: now.submitted,
            newestSeen: now.seen, clock: now.clock, time: max(now.clock, kept)...max(now.clock, now.time, kept))
    }
}

extension Timeline.Bounds {
    fileprivate mutating func take(_ note: HistoryNote, _ operations: [WorkOperation]) {
        switch note {
        case .submitted(let number):
            submitted = max(submitted, operations[number].sequence ?? 0)
        case .acknowledged(let number):
            let operation = operations[number]
            seen = max(seen, operation.sequence!)
            keep(operation)
            // Its commit is not earlier.
            if operation.durability != .buffered { timeInKernel = max(timeInKernel, time) }
            if operation.durability == .synced { timeOnDisk = max(timeOnDisk, time) }
        case .readable(let sequence):
            seen = max(seen, sequence)
            readable(sequence, operations)
        case .synced(let sequence):
            onDisk = max(onDisk, sequence)
            inKernel = max(inKernel, sequence)
        case .written(let sequence): inKernel = max(inKernel, sequence)
        case .clock(let wall, let time): (clock, self.time) = (wall, time)
        case .timeKept: (timeOnDisk, timeInKernel) = (time, time)
        case .opened: break
        }
    }

    private mutating func keep(_ operation: WorkOperation) {
        let sequence = operation.sequence!
        if operation.durability != .buffered { inKernel = max(inKernel, sequence) }
        if operation.durability == .synced { onDisk = max(onDisk, sequence) }
    }

    /// Visible writes have the durability that they asked for.
    private mutating func readable(_ sequence: UInt64, _ operations: [WorkOperation]) {
        guard sequence > max(onDisk, base) else { return }
        for operation in operations where operation.sequence.map({ base < $0 && $0 <= sequence }) ?? false {
            keep(operation)
        }
    }
}
