/// What a simulated run does with a store.
package enum Workload: String, CaseIterable, Sendable, Codable {
    /// Single puts and removals, each synced.
    case puts
    /// Batches of up to twelve operations.
    case batches
    /// Writes with conditions that are met or not.
    case conditions
    /// Transactions that read what they change.
    case transactions
    /// Values that expire, and a clock that moves.
    case expiry
    /// Segments of 16 KiB that are full after a few writes.
    case rotation
    /// All durabilities in one store, flushes, and the writer's own syncs and marks.
    case durabilities
    /// Values larger than a segment and than a commit buffer.
    case large
    /// Several tasks at once.
    case tasks
    /// Closing and opening, and dropping the store like the death of the process.
    case reopening
    /// Compactions, writes and read views during them, removals, and values that expire.
    case compaction
    /// Several tasks at once, and automatic compactions meanwhile.
    case compacting

    /// Whether the same seed gives the same calls in the same order.
    package var isDeterministic: Bool { !hasTasks }
    /// Whether several tasks write.
    var hasTasks: Bool { self == .tasks || self == .compacting }
}

/// One change of one key.
package struct WorkChange: Sendable, Hashable, Codable {
    package var key: String
    /// nil: a removal.
    package var value: WorkValue?
    /// Milliseconds; 0 for never.
    package var expires: UInt64 = 0
}

/// A value described by its parts.
package enum WorkValue: Sendable, Hashable, Codable {
    case pattern(identity: UInt64, length: Int)
    /// A counter.
    case number(UInt64)

    package var bytes: [UInt8] {
        switch self {
        case .pattern(let identity, let length): ValuePattern(identity: identity, length: length).bytes
        case .number(let number): littleEndianBytes(of: number)
        }
    }

    package func matches(_ bytes: [UInt8]) -> Bool {
        if case .pattern(let identity, let length) = self {
            return ValuePattern(identity: identity, length: length).matches(bytes)
        }
        return bytes == self.bytes
    }
}

/// One write of a run, and its outcome.
package struct WorkOperation: Sendable, Codable {
    package enum Durability: Int, Sendable, Codable { case buffered, written, synced }

    package var changes: [WorkChange]
    package var durability: Durability
    /// Its sequence number; nil while unknown.
    package var sequence: UInt64?
    /// Whether the sequence number is derived, because the write ended with an unknown outcome.
    package var isSequenceAssumed = false
    /// Whether its transaction incremented a counter.
    package var countsUp = false
}

/// One step of a run.
enum WorkStep: Sendable {
    enum Guard: Sendable { case none, absent, current, stale }

    case write([WorkChange], WorkOperation.Durability, Guard)
    /// A write whose task is cancelled at the next renaming of a segment.
    case cancelledWrite([WorkChange], WorkOperation.Durability)
    /// Reads keys, and writes changes that don't depend on them.
    case transaction(reads: [String], [WorkChange], WorkOperation.Durability)
    case read(String)
    case flush
    /// Moves the log writer's clock, in nanoseconds.
    case wait(UInt64)
    /// Lets time pass, in milliseconds.
    case moveClock(UInt64)
    /// Sets the wall clock forward or back.
    case jumpClock(Int64)
    case reopen(closes: Bool)
    /// Compacts. The steps are done before this call of the compaction, if it has so many calls.
    case compact(pauseAt: Int, [WorkStep])
    /// Takes a read view that is checked from then on.
    case takeReadView
    /// Releases the oldest read view.
    case releaseReadView
}
