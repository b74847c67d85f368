internal import HeartwoodTesting

/// What must be found after a crash.
package struct Expectation: Sendable, Codable {
    /// The states that there may be.
    package var chain: Chain
    /// The number that must be recovered at least.
    package var low: UInt64
    /// The number that can be recovered at most.
    package var high: UInt64
    /// The largest number that anybody has seen: none up to it may be given to another write.
    package var newestSeen: UInt64
    /// The wall clock, in milliseconds.
    package var clock: UInt64
}

/// What must survive a crash, for each moment of a run.
///
/// It knows how the run went on: which number each write got that was under way at the crash.
package struct Timeline {
    /// What is known after some of the events.
    struct Bounds {
        /// Survives the loss of power.
        var onDisk: UInt64 = 0
        /// Survives the death of the process.
        var inKernel: UInt64 = 0
        /// Was given to the store at all.
        var submitted: UInt64 = 0
        var seen: UInt64 = 0
        var clock: UInt64 = WorkPlan.start
        /// How often the store was opened.
        var openings = 0
        /// The number before the first of the present opening.
        var base: UInt64 = 0
    }

    private let bounds: [Bounds]
    /// By the number of openings so far.
    private let chains: [Chain]

    /// - Throws: `Violation` where the run itself contradicts the promises.
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
                    // What was not recovered is gone for good.
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
        guard recovered >= now.inKernel else {
            throw Violation("number \(now.inKernel) was acknowledged, and the next opening recovered only \(recovered)")
        }
        guard recovered <= now.submitted else {
            throw Violation("number \(recovered) was recovered, and only \(now.submitted) were written")
        }
        guard last >= recovered else {
            throw Violation("number \(recovered) was recovered, and the next would be \(last + 1)")
        }
    }

    /// What must be found after a crash.
    ///
    /// - Parameter keepsAll: Whether nothing was lost of what was pending, as after the death of a process.
    package func expectation(after events: Int, keepsAll: Bool) -> Expectation {
        let now = bounds[events]
        return Expectation(
            chain: chains[now.openings], low: keepsAll ? now.inKernel : now.onDisk, high: now.submitted,
            newestSeen: now.seen, clock: now.clock)
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
        case .readable(let sequence):
            seen = max(seen, sequence)
            readable(sequence, operations)
        case .synced(let sequence):
            onDisk = max(onDisk, sequence)
            inKernel = max(inKernel, sequence)
        case .written(let sequence): inKernel = max(inKernel, sequence)
        case .clock(let time): clock = time
        case .opened: break
        }
    }

    private mutating func keep(_ operation: WorkOperation) {
        let sequence = operation.sequence!
        if operation.durability != .buffered { inKernel = max(inKernel, sequence) }
        if operation.durability == .synced { onDisk = max(onDisk, sequence) }
    }

    /// What is visible is as durable as it was asked to be.
    private mutating func readable(_ sequence: UInt64, _ operations: [WorkOperation]) {
        guard sequence > max(onDisk, base) else { return }
        for operation in operations where operation.sequence.map({ base < $0 && $0 <= sequence }) ?? false {
            keep(operation)
        }
    }
}
