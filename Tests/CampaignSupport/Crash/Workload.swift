/// What a simulated run does with a store.
package enum Workload: String, CaseIterable, Sendable, Codable {
    /// Single puts and removals, each synced.
    case puts
    /// Batches of up to twelve operations.
    case batches
    /// Writes under conditions that hold and that don't.
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
    /// Closing and opening, and dropping the store as the death of the process would.
    case reopening
    /// Compactions, writes in their midst, states that are held over them, removals, and values that expire.
    case compaction
    /// Several tasks at once, and a store that compacts itself again and again meanwhile.
    case compacting

    /// Whether the same seed gives the same calls in the same order.
    package var isDeterministic: Bool { !hasTasks }
    /// Whether several tasks are at work.
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

/// A value that is known by its parts.
package enum WorkValue: Sendable, Hashable, Codable {
    case pattern(identity: UInt64, length: Int)
    /// A counter's.
    case number(UInt64)

    package var bytes: [UInt8] {
        switch self {
        case .pattern(let identity, let length): ValuePattern(identity: identity, length: length).bytes
        case .number(let number): withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
        }
    }

    package func matches(_ bytes: [UInt8]) -> Bool {
        if case .pattern(let identity, let length) = self {
            return ValuePattern(identity: identity, length: length).matches(bytes)
        }
        return bytes == self.bytes
    }
}

/// One write of a run: what it changes, and what became of it.
package struct WorkOperation: Sendable, Codable {
    package enum Durability: Int, Sendable, Codable { case buffered, written, synced }

    package var changes: [WorkChange]
    package var durability: Durability
    /// Its number; nil as long as nobody knows it.
    package var sequence: UInt64?
    /// Whether the number is what must follow, because the write ended without telling.
    package var isSequenceAssumed = false
    /// Whether its transaction counted one up from what it read.
    package var countsUp = false
}

/// One step of a run.
enum WorkStep: Sendable {
    enum Guard: Sendable { case none, absent, current, stale }

    case write([WorkChange], WorkOperation.Durability, Guard)
    /// A write whose task is cancelled as soon as a segment gets its name, if one does meanwhile.
    case cancelledWrite([WorkChange], WorkOperation.Durability)
    /// Reads keys, and writes changes that follow from nothing else.
    case transaction(reads: [String], [WorkChange], WorkOperation.Durability)
    case read(String)
    case flush
    /// Lets so many nanoseconds go by for the log writer.
    case wait(UInt64)
    /// Moves the wall clock, in milliseconds.
    case moveClock(UInt64)
    case reopen(closes: Bool)
    /// Compacts; before the compaction's call of this number, if it has so many, the steps are done.
    case compact(pauseAt: Int, [WorkStep])
    /// Takes a snapshot, to be looked at from then on.
    case hold
    /// Lets go of the oldest snapshot.
    case release
}
