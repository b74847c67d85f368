internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// What a run wrote down between the calls of its disk.
enum HistoryNote: Sendable {
    /// An operation is about to be given to the store.
    case submitted(Int)
    /// The store said that it is done: when the trace had so many events. The note may come later, so that it always
    /// stands at the same place.
    case acknowledged(Int, since: Int)
    /// Readers see up to this number, at this moment.
    case readable(UInt64)
    /// Everything up to this number is on the disk: a flush returned, when the trace had so many events, or the store
    /// was closed.
    case synced(UInt64, since: Int = .max)
    /// Everything up to this number was promised to be in the kernel by now.
    case written(UInt64)
    /// The store was opened: what was recovered, and the number before the next.
    case opened(recovered: UInt64, last: UInt64)
    /// The wall clock, in milliseconds.
    case clock(UInt64)
}

extension HistoryNote: CustomStringConvertible {
    /// The same in every run with the same seed: without the moments at which promises were given.
    var description: String {
        switch self {
        case .submitted(let number): "submitted(\(number))"
        case .acknowledged(let number, _): "acknowledged(\(number))"
        case .readable(let sequence): "readable(\(sequence))"
        case .synced(let sequence, _): "synced(\(sequence))"
        case .written(let sequence): "written(\(sequence))"
        case .opened(let recovered, let last): "opened(recovered: \(recovered), last: \(last))"
        case .clock(let time): "clock(\(time))"
        }
    }
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

    /// - Parameter events: How many events the trace had when the store said it.
    func acknowledge(_ number: Int, _ sequence: UInt64, since events: Int = .max, on disk: SimulatedDisk) {
        list.withLock { $0[number].sequence = sequence }
        disk.note(HistoryNote.acknowledged(number, since: events))
    }

    /// The operation ended in an error that leaves it open whether it happened; if it did, it has this number.
    func leaveOpen(_ number: Int, assuming sequence: UInt64) {
        list.withLock { list in
            list[number].sequence = sequence
            list[number].isSequenceAssumed = true
        }
    }
}
