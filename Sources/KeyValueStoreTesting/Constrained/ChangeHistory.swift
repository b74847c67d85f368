/// The changes of each write, until a compaction removes them.
struct ChangeHistory: Sendable {
    private var batches: [[Change]] = []
    /// The history begins after the write with this number.
    private(set) var start: SequenceNumber = 0

    /// Adds the changes of a write.
    mutating func append(_ changes: [Change]) {
        if !changes.isEmpty { batches.append(changes) }
    }

    /// Removes the changes up to the write with a sequence number, which is the newest.
    mutating func removeAll(through sequence: SequenceNumber) {
        batches = []
        start = sequence
    }

    /// The changes of the next write that changed a key of the range; nil if there is none.
    func next(after sequence: SequenceNumber, in range: KeyRange) -> [Change]? {
        var (low, high) = (0, batches.count)
        while low < high {
            let middle = low + (high - low) / 2
            if batches[middle][0].sequence > sequence { high = middle } else { low = middle + 1 }
        }
        for batch in batches[low...] {
            var changes = batch.filter { change in change.key.withUnsafeBytes { range.contains($0) } }
            if changes.isEmpty { continue }
            changes[changes.count - 1].isLastOfBatch = true
            return changes
        }
        return nil
    }
}
