internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// The ordered index in memory: for every key its versions, each with the place of its record.
///
/// One writer at a time adds versions in the order of their places; they become visible when they are published. Readers,
/// on any thread, read at the visible point or at one that they hold, and take no lock: Documentation/Index.md tells why
/// that is sound. What became garbage is dropped in bounded portions, by this call and later ones, so no call keeps the
/// writer's lock longer than its own work needs.
package final class VersionedIndex: Sendable {
    /// Adds the versions of one write. Of use inside the closure that it is lent to.
    package struct Writer: ~Copyable {
        /// Sound because `apply` makes the writer from its own exclusive access and ends it before that access does.
        fileprivate let state: UnsafeMutablePointer<IndexState>
        fileprivate let start: UInt64
        fileprivate(set) var count = 0

        /// Adds a version of a key. The key is copied. A version older than the newest that the key has is passed over.
        package mutating func add(key: UnsafeRawBufferPointer, version: Version) {
            add(key: key, version: version, hint: .none)
        }

        /// The same.
        ///
        /// - Parameter hint: What `approach` said of the key.
        mutating func add(key: UnsafeRawBufferPointer, version: Version, hint: LeafHint) {
            state.pointee.add(key, version, writeFrom: start, hint: hint)
            count += 1
        }
    }

    /// The log's lock is the same one.
    let state: Locked<IndexState>
    /// What it guards, for whoever has it.
    private nonisolated(unsafe) let stateUnderLock: UnsafeMutablePointer<IndexState>
    let tree: TreeReader
    let undo: UndoReader
    let epochs: Epochs
    /// The address up to which readers see.
    private let point = SharedWord()
    /// Counts the beginnings and ends of slices in which records are moved; odd while one is. A place that differs
    /// from that of before may be of the same version, where this isn't what it was.
    let moves = Atomic<UInt64>(0)

    /// Old versions that a write looks at besides twice as many as it added; so a backlog shrinks with every write. Each is
    /// some misses, a microsecond and more: with 64, or with 8, a hundred thousand of them made 200,000 puts a second late by
    /// 30 ms and more.
    private static var pruneShare: Int { 1 }
    /// Old versions that the end of a hold looks at.
    private static var releaseShare: Int { 8 }
    /// Old versions that are looked at under one hold of the lock: less than a hundred microseconds.
    private static var pruneSlice: Int { 256 }

    /// - Parameter undoCapacity: Entries of a chunk of the undo log; fewer than a page holds only for tests.
    package init(undoCapacity: Int = UndoChunk.largestCapacity) {
        let epochs = Epochs()
        let initial = IndexState(epochs, undoCapacity: undoCapacity)
        self.epochs = epochs
        tree = initial.tree.reader
        undo = initial.undo.reader
        state = Locked(initial)
        stateUnderLock = state.stateUnderLock
    }

    deinit {
        state.withLock { $0.destroy() }
        point.deallocate()
    }

    /// The address up to which readers see.
    var visible: UInt64 { point.value }

    /// The number of the last write that readers see.
    var visibleSequence: SequenceNumber { state.withLock { $0.visibleSequence } }

    /// Adds the versions of one write, and makes them visible at once when `publish` is set.
    ///
    /// - Parameters:
    ///   - addresses: Of its records: the first one, and the last one or more. They increase from call to call.
    ///   - count: Number of its records.
    package func apply(
        sequence: SequenceNumber, addresses: ClosedRange<UInt64>, count: Int, publish: Bool,
        _ changes: (inout Writer) -> Void
    ) {
        state.withLock { _ in
            applyUnderLock(sequence: sequence, addresses: addresses, count: count, publish: publish, changes)
        }
    }

    /// The same, for whoever has the lock.
    @inline(__always)
    func applyUnderLock(
        sequence: SequenceNumber, addresses: ClosedRange<UInt64>, count: Int, publish: Bool,
        _ changes: (inout Writer) -> Void
    ) {
        let state = stateUnderLock
        state.pointee.note(newest: addresses.upperBound, sequence)
        // A single version may be seen as soon as it is there. So it is published before: what it supersedes can be
        // overwritten then. Several must come into sight together, when all are there.
        let isAlone = count == 1
        if publish, isAlone { self.publish(addresses.upperBound, sequence, &state.pointee) }
        var writer = Writer(state: state, start: addresses.lowerBound)
        changes(&writer)
        let added = writer.count
        if publish, !isAlone { self.publish(addresses.upperBound, sequence, &state.pointee) }
        // Where somebody does nothing else but drop old versions, writers needn't.
        if !state.pointee.isBeingPruned { _ = state.pointee.prune(limit: Self.pruneShare + 2 * added) }
    }

    private func publish(_ address: UInt64, _ sequence: SequenceNumber, _ state: inout IndexState) {
        state.advance(to: address, sequence)
        point.set(state.visible)
    }

    /// Makes everything up to `address` visible, which is what the writes up to `sequence` are.
    package func publish(_ address: UInt64, _ sequence: SequenceNumber) {
        state.withLock { state in
            publish(address, sequence, &state)
            _ = state.prune(limit: Self.pruneSlice)
        }
    }

    /// Fills the empty index with keys in order.
    func load(_ entries: some LoadableEntries) {
        var loader = TreeLoader()
        load(entries, followedBy: nil, by: &loader)
        finishLoad(&loader)
    }

    /// The same, some keys at a time.
    ///
    /// - Parameter next: The first key of those that come next; nil at the end.
    func load(
        _ entries: some LoadableEntries, followedBy next: UnsafeRawBufferPointer?, by loader: inout TreeLoader
    ) {
        state.withLock { $0.load(entries, followedBy: next, by: &loader) }
    }

    func finishLoad(_ loader: inout TreeLoader) { state.withLock { $0.finishLoad(&loader) } }

    /// Keeps all that a reader at the point sees until `release`. Holds are counted.
    ///
    /// - Parameter newest: Whether writes that aren't visible yet are included.
    package func hold(newest: Bool = false) -> HeldPoint { state.withLock { $0.hold(newest: newest) } }

    /// Holds everything up to the newest version, for whoever has the lock.
    func holdNewestUnderLock() -> HeldPoint { stateUnderLock.pointee.hold(newest: true) }

    /// Ends one hold of a point.
    package func release(_ point: HeldPoint) {
        state.withLock { state in
            state.release(point.address)
            state.eras.leave(point.era)
            _ = state.prune(limit: Self.releaseShare)
        }
    }

    /// Drops all that nobody can see any more, in slices between which others get the lock.
    ///
    /// - Parameter givesWay: Whether others get it for as long as a slice takes.
    package func prune(givingWay givesWay: () -> Bool = { true }) {
        // A thread that unlocks and locks again at once leaves nobody else a chance, even if it yields: puts waited for 40 ms.
        while state.withLock({ state in
            state.isBeingPruned = state.prune(limit: Self.pruneSlice)
            return state.isBeingPruned
        }) {
            if givesWay() { pauseThread(nanoseconds: 10_000) } else { yieldThread() }
        }
    }

    package var statistics: IndexStatistics { state.withLock { $0.statistics } }

    /// The sum of the newest values' lengths, as far as their places tell.
    var liveBytes: UInt64 { state.withLock { $0.liveBytes } }

    /// How often the tree has changed its shape.
    package var churn: TreeChurn { state.withLock { $0.tree.churn } }
}

extension IndexState {
    fileprivate mutating func hold(newest: Bool) -> HeldPoint {
        let isNewer = newest && self.newest > visible
        let era = eras.enter()
        let point =
            isNewer
            ? HeldPoint(address: self.newest, sequence: newestSequence, era: era)
            : HeldPoint(address: visible, sequence: visibleSequence, era: era)
        hold(point.address)
        return point
    }
}

/// A state that is kept: everything up to an address, which is what the writes up to a number made.
package struct HeldPoint: Sendable, Hashable {
    package let address: UInt64
    package let sequence: SequenceNumber
    /// The era in which it was taken; see `Eras`.
    var era: UInt64 = 0
}
