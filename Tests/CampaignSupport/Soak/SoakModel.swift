internal import Heartwood

/// The expected entries of one writer's keys. A value is identified by its version, so that the model never grows.
struct SoakModel: Sendable {
    struct Entry: Sendable, Hashable {
        var version: UInt32
        var sequence: SequenceNumber
        /// In milliseconds since 1970; 0: never.
        var expiry: UInt64

        /// Whether a reader sees it at these times; nil where that depends on the exact time.
        func isVisible(at times: ClosedRange<UInt64>) -> Bool? {
            if expiry == 0 || times.upperBound < expiry { return true }
            return times.lowerBound >= expiry ? false : nil
        }
    }

    private(set) var entries: [Entry?]
    /// What was replaced by writes that the death of the process may lose, in their order.
    private var undo: [(sequence: SequenceNumber, slot: Int, old: Entry?)] = []

    init(slots: Int) { entries = Array(repeating: nil, count: slots) }

    /// Notes an acknowledged write. Everything up to `kept` must survive the death of the process.
    mutating func set(_ slot: Int, _ entry: Entry?, sequence: SequenceNumber, kept: SequenceNumber) {
        if sequence > kept {
            undo.append((sequence, slot, entries[slot]))
            if undo.count > 4_096 { undo.removeAll { $0.sequence <= kept } }
        }
        entries[slot] = entry
    }

    /// Notes that a new opening recovered everything up to `sequence`.
    ///
    /// - Returns: The number of lost writes of keys.
    mutating func reopen(at sequence: SequenceNumber) -> Int {
        var lost = 0
        while let last = undo.popLast() {
            // Sequence numbers of one writer rise: earlier writes are kept, too.
            guard last.sequence > sequence else { break }
            entries[last.slot] = last.old
            lost += 1
        }
        undo = []
        return lost
    }
}
