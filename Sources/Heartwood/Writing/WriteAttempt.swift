internal import HeartwoodConcurrency
internal import HeartwoodFormat
internal import Synchronization

/// A batch on its way into the log, as a state machine that never waits. It returns what to wait for. Its driver waits,
/// as a task or as a thread, and calls it again.
struct WriteAttempt {
    /// The next step of the driver.
    enum Next {
        /// Done: the write has this sequence number, and is as durable as requested.
        case done(SequenceNumber)
        /// Wait until readers see up to this sequence number, which the write has; then it is done.
        case waitForVisibility(SequenceNumber)
        /// Wait until there may be space. There was none at this generation.
        case waitForSpace(since: UInt64)
        /// Read the records that the conditions refer to, and call ``resolved(_:)``.
        case resolve
    }

    let conditions: [Requirement]
    private let log: Log
    private let batch: EncodedBatch
    private let level: Durability.Level
    /// The conditions in the form in which the actor can evaluate them.
    private var judgeable: [Requirement]?
    /// The index's count of moved records before the conditions were resolved.
    private var moves: UInt64 = 0
    private var ticket: UInt64 = 0

    init(_ log: Log, _ batch: EncodedBatch, _ conditions: [Requirement], _ durability: Durability?) {
        (self.log, self.batch, self.conditions) = (log, batch, conditions)
        level = (durability ?? log.configuration.durability).level
        if conditions.isEmpty { judgeable = [] }
    }

    /// The number of bytes for which the log needs space.
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
            case .mustWait(let generation): return .waitForSpace(since: generation)
            }
        } catch {
            let error = withdrawn(error)
            guard error.code == .conflict else { throw error }
            // Compaction may have moved the record that a condition was resolved to. Then the condition is resolved
            // again.
            if log.index.mayHaveMoved(since: moves) { return try beginResolving() }
            try checkOutsideTransaction()
            throw error
        }
    }

    private mutating func beginResolving() throws(StoreError) -> Next {
        if log.image.isClosed { throw .closed }
        judgeable = nil
        moves = log.index.moveCount
        return .resolve
    }

    /// Takes the conditions in the form in which they can be evaluated: each as it is resolved.
    ///
    /// - Throws: `.conflict` if one is nil, because it doesn't hold.
    mutating func resolve(_ number: Int, as condition: Requirement?) throws(StoreError) {
        guard let condition else {
            try checkOutsideTransaction()
            throw conditions[number].conflict
        }
        if judgeable == nil {
            judgeable = []
            judgeable?.reserveCapacity(conditions.count)
        }
        judgeable?.append(condition)
    }

    /// A write inside a transaction of its store is refused, also if a condition doesn't hold.
    private func checkOutsideTransaction() throws(StoreError) {
        guard batch.recordCount > 0 else { return }
        try log.withState { (state) throws(StoreError) in try state.life.checkOutsideTransaction() }
    }

    /// A batch without operations writes nothing, but its conditions are checked: a transaction must have read one
    /// state.
    private func confirm(_ conditions: [Requirement]) throws(StoreError) -> Next {
        if log.image.isClosed { throw .closed }
        try log.confirm(conditions)
        // What it read may not be durable yet. It returns only when all readers see that.
        let sequence = log.newestSequence
        return sequence > log.index.visibleSequence ? .waitForVisibility(sequence) : .done(sequence)
    }

    /// Abandons the write because of this error, and releases the writes that wait for it.
    func withdrawn(_ error: StoreError) -> StoreError {
        log.withdraw(ticket: ticket)
        guard error.code == .outOfSpace, batch.removesOnly, length > Reserve.largestRemoval else { return error }
        let count = batch.recordCount * Reserve.largestRemoval / length
        return StoreError(
            .outOfSpace,
            "there is no space for this write, which removes \(batch.recordCount) keys: the reserve for removals takes "
                + "about \(count) of them at once, so remove fewer in one write, and compact when these are refused, "
                + "too",
            file: error.file, cause: error.cause)
    }
}

nonisolated extension Log {
    /// The sequence number of the newest write, visible or not.
    var newestSequence: SequenceNumber { withState { $0.commits.pipeline.lastSequence } }
}

/// The two drivers.
extension Store {
    /// The path of every write except a single record without conditions.
    @discardableResult
    nonisolated(nonsending) func write(
        _ batch: EncodedBatch, _ conditions: [Requirement], _ durability: Durability?
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
            case .waitForSpace(let generation):
                do throws(StoreError) {
                    try await log.waitForSpace(since: generation, for: attempt.length)
                } catch {
                    throw attempt.withdrawn(error)
                }
            case .resolve:
                for (number, condition) in conditions.enumerated() {
                    try attempt.resolve(number, as: try await condition.resolved(in: image))
                }
            }
        }
    }

    /// The same for a thread, which it blocks.
    func writeBlocking(
        _ batch: EncodedBatch, _ conditions: [Requirement], _ durability: Durability?
    ) throws(StoreError) -> SequenceNumber {
        var attempt = WriteAttempt(log, batch, conditions, durability)
        while true {
            switch try attempt.next() {
            case .done(let sequence):
                return sequence
            case .waitForVisibility(let sequence):
                try log.visibleGate.block(until: sequence)
                return sequence
            case .waitForSpace(let generation):
                do throws(StoreError) {
                    try log.blockForSpace(since: generation, for: attempt.length)
                } catch {
                    throw attempt.withdrawn(error)
                }
            case .resolve:
                for (number, condition) in conditions.enumerated() {
                    try attempt.resolve(number, as: try condition.resolvedBlocking(in: image))
                }
            }
        }
    }
}
