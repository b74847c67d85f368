internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// What a run wrote down between the calls of its disk.
enum HistoryNote: Sendable {
    /// An operation is about to be given to the store.
    case submitted(Int)
    /// The store said that it is done.
    case acknowledged(Int)
    /// Readers see up to this number, at this moment.
    case readable(UInt64)
    /// Everything up to this number is on the disk: a flush returned, or the store was closed.
    case synced(UInt64)
    /// Everything up to this number was promised to be in the kernel by now.
    case written(UInt64)
    /// The store was opened: what was recovered, and the number before the next.
    case opened(recovered: UInt64, last: UInt64)
    /// The wall clock, in milliseconds.
    case clock(UInt64)
}

/// The writes of a run, which its tasks share.
final class History: Sendable {
    private let list = Locked<[WorkOperation]>([])

    var operations: [WorkOperation] { list.withLock { $0 } }

    /// Adds an operation that is about to be given to the store.
    func submit(_ operation: WorkOperation, on disk: SimulatedDisk) -> Int {
        let number = list.withLock { list in
            list.append(operation)
            return list.count - 1
        }
        disk.note(HistoryNote.submitted(number))
        return number
    }

    /// What a transaction's last run came to.
    func set(_ changes: [WorkChange], of number: Int) { list.withLock { $0[number].changes = changes } }

    func acknowledge(_ number: Int, _ sequence: UInt64, on disk: SimulatedDisk) {
        list.withLock { $0[number].sequence = sequence }
        disk.note(HistoryNote.acknowledged(number))
    }

    /// The operation ended in an error that leaves it open whether it happened; if it did, it has this number.
    func leaveOpen(_ number: Int, assuming sequence: UInt64) {
        list.withLock { list in
            list[number].sequence = sequence
            list[number].isSequenceAssumed = true
        }
    }
}
