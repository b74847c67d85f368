package import Heartwood

/// The expected contents of a store, kept in the simplest way.
package struct Model: Sendable {
    package struct Entry: Sendable, Hashable {
        package var value: ValuePattern
        package var sequence: SequenceNumber
        /// In milliseconds since 1970; 0: never.
        package var expiry: UInt64
    }

    /// The keys' entries at one time, and that time for judging expiry.
    package struct State: Sendable {
        package var entries: [Entry?]
        package var now: UInt64

        /// What a reader sees of a key.
        package func visible(_ key: Int) -> Entry? {
            guard let entry = entries[key], entry.expiry == 0 || now < entry.expiry else { return nil }
            return entry
        }
    }

    /// An operation on one key, with its absolute expiry.
    package struct Change: Sendable, Hashable {
        package var key: Int
        /// nil: removed.
        package var value: ValuePattern?
        package var expiry: UInt64 = 0
    }

    package let universe: KeyUniverse
    package private(set) var state: State
    /// The number of keys that have an entry, expired or not.
    package private(set) var count = 0
    package private(set) var lastSequence: SequenceNumber = 0
    /// Every write up to this one must survive a crash.
    package private(set) var durableSequence: SequenceNumber = 0
    /// The time of the last write, and of the last one that must survive.
    private var newestTime: UInt64 = 0
    package private(set) var durableTime: UInt64 = 0
    /// The sequence numbers of all batches of the store, ascending.
    private var sequences: [SequenceNumber] = []
    /// The first sequence number of the current opening.
    package private(set) var firstOfOpening: SequenceNumber?
    /// What was replaced by batches that may be lost, in their order.
    private var undo: [(sequence: SequenceNumber, key: Int, old: Entry?)] = []
    /// The last write that set each key, or removed it while it was present.
    private var changed: [SequenceNumber]
    /// The last write that removed each key while it was absent. It may or may not count as a change.
    private var removedInVain: [SequenceNumber]

    package init(universe: KeyUniverse, now: UInt64) {
        self.universe = universe
        state = State(entries: Array(repeating: nil, count: universe.keys.count), now: now)
        changed = Array(repeating: 0, count: universe.keys.count)
        removedInVain = changed
    }

    package var now: UInt64 {
        get { state.now }
        set { state.now = newValue }
    }

    /// Applies an acknowledged batch.
    package mutating func apply(_ changes: [Change], sequence: SequenceNumber, isDurable: Bool) {
        for change in Self.lastOfEachKey(changes) {
            let old = state.entries[change.key]
            undo.append((sequence, change.key, old))
            let new = change.value.map { Entry(value: $0, sequence: sequence, expiry: change.expiry) }
            if old == nil, new == nil { removedInVain[change.key] = sequence } else { changed[change.key] = sequence }
            set(change.key, new)
        }
        sequences.append(sequence)
        if firstOfOpening == nil { firstOfOpening = sequence }
        lastSequence = sequence
        newestTime = now
        if isDurable { becomeDurable() }
    }

    /// Notes that everything so far must survive a crash.
    package mutating func becomeDurable() {
        durableSequence = lastSequence
        durableTime = newestTime
        undo.removeAll(keepingCapacity: true)
    }

    /// Notes that a new opening recovered everything up to `sequence`.
    ///
    /// - Returns: The number of lost batches.
    package mutating func reopen(at sequence: SequenceNumber) -> UInt64 {
        while let last = undo.last, last.sequence > sequence {
            set(last.key, last.old)
            undo.removeLast()
        }
        // Sequence numbers are dense only within an opening.
        var lost: UInt64 = 0
        if let firstOfOpening {
            lost = sequence < firstOfOpening ? lastSequence - firstOfOpening + 1 : lastSequence - sequence
        }
        while let last = sequences.last, last > sequence { sequences.removeLast() }
        firstOfOpening = nil
        lastSequence = sequence
        // The commits that were found may be older than the last write.
        newestTime = durableTime
        becomeDurable()
        return lost
    }

    /// The number of batches after a sequence number.
    package func batches(after sequence: SequenceNumber) -> UInt64 {
        UInt64(sequences.reversed().prefix { $0 > sequence }.count)
    }

    /// Whether no key of a range was changed after `sequence`; nil where either answer is allowed: a key that was
    /// absent or expired then, and is absent now, may have been added and removed between.
    ///
    /// - Parameter base: The entries at `sequence`.
    package func isUnchanged(_ range: RangeChoice, since sequence: SequenceNumber, base: State) -> Bool? {
        let positions = universe.positions(in: range)
        let changedKeys = positions.filter { changed[$0] > sequence }
        if changedKeys.contains(where: { base.visible($0) != nil || state.entries[$0] != nil }) {
            return false
        }
        return changedKeys.isEmpty && !positions.contains { removedInVain[$0] > sequence } ? true : nil
    }

    /// Only the last operation of a batch on a key counts.
    private static func lastOfEachKey(_ changes: [Change]) -> [Change] {
        if changes.count == 1 { return changes }
        var last: [Int: Change] = [:]
        for change in changes { last[change.key] = change }
        return last.values.sorted { $0.key < $1.key }
    }

    private mutating func set(_ key: Int, _ entry: Entry?) {
        count += (entry == nil ? 0 : 1) - (state.entries[key] == nil ? 0 : 1)
        state.entries[key] = entry
    }
}
