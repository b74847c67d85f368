internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// A batch on its way into the log, step by step. It never waits: it says for what, and whoever drives it does that, as a task
/// or as a thread, and asks again.
struct WriteAttempt {
    /// What comes next.
    enum Next {
        /// Nothing: it has this number, and is what was promised.
        case done(SequenceNumber)
        /// To wait until readers see up to this number, which it has; then it is done.
        case waitForVisibility(SequenceNumber)
        /// To wait until there may be room, which wasn't there at this generation.
        case waitForRoom(since: UInt64)
        /// To read the records that conditions are about, and tell ``resolved(_:)``.
        case resolve
    }

    let conditions: [Condition]
    private let log: Log
    private let batch: EncodedBatch
    private let level: Durability.Level
    /// The conditions in the form in which the actor can judge them.
    private var judgeable: [Condition]?
    /// What was counted of moves before they were resolved.
    private var moves: UInt64 = 0
    private var ticket: UInt64 = 0

    init(_ log: Log, _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability?) {
        (self.log, self.batch, self.conditions) = (log, batch, conditions)
        level = (durability ?? log.configuration.durability).level
        if conditions.isEmpty { judgeable = [] }
    }

    /// The bytes for which there has to be room.
    var length: Int { batch.encodedLength }

    /// Takes the next step.
    ///
    /// - Throws: What a write throws; nothing was written then.
    mutating func next() throws(StoreError) -> Next {
        guard let judgeable else { return try beginResolving() }
        if batch.recordCount == 0 { return try confirm(judgeable) }
        if Task.isCancelled { throw withdrawn(.cancelled) }
        do throws(StoreError) {
            switch try log.admit(batch, judgeable, level, &ticket) {
            case .accepted(let sequence, let isVisible):
                return isVisible ? .done(sequence) : .waitForVisibility(sequence)
            case .mustWait(let generation): return .waitForRoom(since: generation)
            }
        } catch {
            let error = withdrawn(error)
            // Compaction may have moved the record that a condition was resolved to: then it is resolved anew.
            guard error.code == .conflict, !conditions.isEmpty, log.index.mayHaveMoved(since: moves) else {
                throw error
            }
            return try beginResolving()
        }
    }

    private mutating func beginResolving() throws(StoreError) -> Next {
        if log.isEnded { throw .closed }
        judgeable = nil
        moves = log.index.moves.load(ordering: .sequentiallyConsistent)
        return .resolve
    }

    /// Takes the conditions in the form in which they can be judged.
    mutating func resolved(_ conditions: [Condition]) { judgeable = conditions }

    /// A batch without operations writes nothing, but its conditions count: what a transaction read was one state.
    private func confirm(_ conditions: [Condition]) throws(StoreError) -> Next {
        if log.isEnded { throw .closed }
        try log.confirm(conditions)
        // What it read may still be on its way to the disk; it is told only once that is seen by all.
        let sequence = log.newestSequence
        return sequence > log.index.visibleSequence ? .waitForVisibility(sequence) : .done(sequence)
    }

    /// It is given up for this error: if others were waiting for it, they needn't any more.
    func withdrawn(_ error: StoreError) -> StoreError {
        log.withdraw(ticket: ticket)
        return error
    }
}

nonisolated extension Log {
    /// The number of the newest write, visible or not.
    var newestSequence: SequenceNumber { withState { $0.commits.pipeline.lastSequence } }
}

/// The two drivers.
extension Store {
    /// The way of every write that isn't a single record without conditions.
    @discardableResult
    nonisolated(nonsending) func write(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        var attempt = WriteAttempt(log, batch, conditions, durability)
        while true {
            switch try attempt.next() {
            case .done(let sequence):
                if TimeSlice.isOver(isLong: true) { await TimeSlice.yield() }
                return sequence
            case .waitForVisibility(let sequence):
                try await log.visibleGate.wait(for: sequence)
                return sequence
            case .waitForRoom(let generation):
                do throws(StoreError) {
                    try await log.waitForRoom(since: generation, for: attempt.length)
                } catch {
                    throw attempt.withdrawn(error)
                }
            case .resolve:
                var resolved: [Condition] = []
                for condition in conditions {
                    guard let judgeable = try await condition.resolved(in: log) else { throw condition.conflict }
                    resolved.append(judgeable)
                }
                attempt.resolved(resolved)
            }
        }
    }

    /// The same for a thread, which is blocked meanwhile.
    nonisolated func writeBlocking(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability?
    ) throws(StoreError) -> SequenceNumber {
        var attempt = WriteAttempt(log, batch, conditions, durability)
        while true {
            switch try attempt.next() {
            case .done(let sequence):
                return sequence
            case .waitForVisibility(let sequence):
                try log.visibleGate.block(until: sequence)
                return sequence
            case .waitForRoom(let generation):
                do throws(StoreError) {
                    try log.blockForRoom(since: generation, for: attempt.length)
                } catch {
                    throw attempt.withdrawn(error)
                }
            case .resolve:
                var resolved: [Condition] = []
                for condition in conditions {
                    guard let judgeable = try condition.resolvedBlocking(in: log) else { throw condition.conflict }
                    resolved.append(judgeable)
                }
                attempt.resolved(resolved)
            }
        }
    }
}
