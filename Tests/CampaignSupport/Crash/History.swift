internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// What a run notes between the calls of its disk.
enum HistoryNote: Sendable {
    /// An operation is about to be submitted.
    case submitted(Int)
    /// The store acknowledged the operation.
    case acknowledged(Int)
    /// Readers now see everything up to this sequence number.
    case readable(UInt64)
    /// Everything up to this sequence number is on the disk: a flush returned, or the store was closed.
    case synced(UInt64)
    /// Everything up to this sequence number must be in the kernel by now.
    case written(UInt64)
    /// The store was opened: the recovered sequence number, and the number before the next one.
    case opened(recovered: UInt64, last: UInt64)
    /// The wall clock and the store's time, in milliseconds.
    case clock(UInt64, time: UInt64)
    /// The store was closed after writes: the next opening is not earlier.
    case timeKept
}

/// The writes of a run, which its tasks share.
final class History: Sendable {
    private let list = Locked<[WorkOperation]>([])

    var operations: [WorkOperation] { list.withLock { $0 } }

    /// Adds an operation that is about to be submitted.
    func submit(_ operation: WorkOperation, on disk: SimulatedDisk) -> Int {
        let number = list.withLock { list in
            list.append(operation)
            return list.count - 1
        }
        disk.note(HistoryNote.submitted(number))
        return number
    }

    /// Sets the changes of a transaction's last run.
    func set(_ changes: [WorkChange], of number: Int) { list.withLock { $0[number].changes = changes } }

    func acknowledge(_ number: Int, _ sequence: UInt64, on disk: SimulatedDisk) {
        list.withLock { $0[number].sequence = sequence }
        disk.note(HistoryNote.acknowledged(number))
    }

    /// Notes an operation with an unknown outcome. If it happened, it has this sequence number.
    func noteUnknown(_ number: Int, assuming sequence: UInt64) {
        list.withLock { list in
            list[number].sequence = sequence
            list[number].isSequenceAssumed = true
        }
    }
}
