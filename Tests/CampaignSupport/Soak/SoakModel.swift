internal import Heartwood

/// What the keys of one writer should have. Values are known by their versions, so that it never grows.
struct SoakModel: Sendable {
    struct Entry: Sendable, Hashable {
        var version: UInt32
        var sequence: SequenceNumber
        /// In milliseconds since 1970; 0: never.
        var expiry: UInt64

        /// Whether a reader sees it whose time is one of these; nil where that depends on which.
        func isVisible(at times: ClosedRange<UInt64>) -> Bool? {
            if expiry == 0 || times.upperBound < expiry { return true }
            return times.lowerBound >= expiry ? false : nil
        }
    }

    private(set) var entries: [Entry?]
    /// What the writes that the death of a process may take have replaced, in their order.
    private var undo: [(sequence: SequenceNumber, slot: Int, old: Entry?)] = []

    init(slots: Int) { entries = Array(repeating: nil, count: slots) }

    /// A write was acknowledged; all up to `kept` must survive the death of the process.
    mutating func set(_ slot: Int, _ entry: Entry?, sequence: SequenceNumber, kept: SequenceNumber) {
        if sequence > kept {
            undo.append((sequence, slot, entries[slot]))
            if undo.count > 4_096 { undo.removeAll { $0.sequence <= kept } }
        }
        entries[slot] = entry
    }

    /// The store was opened again, and has everything up to `sequence`.
    ///
    /// - Returns: How many writes of keys are lost.
    mutating func reopen(at sequence: SequenceNumber) -> Int {
        var lost = 0
        while let last = undo.popLast() {
            // What was kept was kept before, too: numbers of one writer rise.
            guard last.sequence > sequence else { break }
            entries[last.slot] = last.old
            lost += 1
        }
        undo = []
        return lost
    }
}

/// The store did something that the model says it must not.
package struct SoakFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Ends the soak where something isn't so.
func expect(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
    guard isSo else { throw SoakFailure(what()) }
}
