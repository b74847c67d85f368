internal import HeartwoodConcurrency
internal import HeartwoodFormat
internal import Synchronization

/// The ordered index in memory: the versions of every key, each with the location of its record.
///
/// One writer at a time adds versions, in the order of their addresses. They become visible when they are published.
/// Readers on any thread read at the visible point or at a pinned one, and take no lock; Documentation/Index.md
/// explains why that is sound. Garbage is dropped in bounded portions, by this call and later ones, so a call holds the
/// lock only for the time that its own work needs.
package final class VersionedIndex: Sendable {
    /// Where a key belongs, found before the write that adds it takes the lock. Any write may come in between: then the
    /// key is looked up again.
    struct Preparation {
        fileprivate var hint: LeafHint

        /// No preparation: the key is looked up when it is added.
        static var none: Preparation { Preparation(hint: .none) }

        /// Finds the key's position in its leaf, and prefetches what is there. Call it when what `Preparer`
        /// prefetched may have arrived, for several keys at a time; see `LeafHint.refine`.
        @inline(__always)
        mutating func refine(_ key: UnsafeRawBufferPointer) { hint.refine(key) }
    }

    /// Makes preparations. A method of the index itself would retain the index while it runs: 2 % of a put.
    struct Preparer {
        fileprivate let tree: TreeReader

        /// Finds where a key belongs, and prefetches that. Takes no lock, and needs no epoch pin.
        @inline(__always)
        func prepare(_ key: UnsafeRawBufferPointer) -> Preparation { Preparation(hint: tree.approach(key)) }
    }

    /// Fills the empty index with sorted keys, one lot at a time. For one thread.
    struct Loader {
        private let index: VersionedIndex
        private var tree = TreeLoader()

        init(_ index: VersionedIndex) { self.index = index }

        /// Adds keys that are all greater than those added before. O(keys).
        ///
        /// - Parameter next: The first key of the next lot; nil for the last lot.
        mutating func add(_ entries: some SortedVersions, followedBy next: UnsafeRawBufferPointer?) {
            index.state.withLock { $0.load(entries, followedBy: next, by: &tree) }
        }

        /// Makes all keys visible. Call it once, after the last lot.
        mutating func finish() { index.state.withLock { $0.finishLoad(&tree) } }
    }

    /// Adds the versions of one write. Valid only inside the closure that receives it.
    package struct Writer: ~Copyable {
        /// Sound because `apply` creates the writer while it has exclusive access to the state, and destroys it before
        /// that access ends.
        fileprivate let state: UnsafeMutablePointer<IndexState>
        fileprivate let start: UInt64
        fileprivate(set) var count = 0

        /// Adds a version of a key. Copies the key. Ignores a version that is not newer than the newest one of the key.
        package mutating func add(key: UnsafeRawBufferPointer, version: Version) {
            add(key: key, version: version, .none)
        }

        /// The same, for a key that was prepared.
        mutating func add(key: UnsafeRawBufferPointer, version: Version, _ preparation: Preparation) {
            state.pointee.add(key, version, writeFrom: start, hint: preparation.hint)
            count += 1
        }
    }

    /// This lock is also the log's lock.
    let state: Locked<IndexState>
    /// The state that the lock guards, for callers that have the lock.
    private nonisolated(unsafe) let stateUnderLock: UnsafeMutablePointer<IndexState>
    let tree: TreeReader
    let preparer: Preparer
    let undo: UndoReader
    let epochs: Epochs
    /// The address up to which readers see.
    private let point = SharedWord()
    /// Incremented at the start and at the end of each slice of a move, so it is odd during one. If it has changed
    /// between two look-ups, two different locations may belong to the same version.
    let moves = Atomic<UInt64>(0)

    /// Old versions that a write looks at, in addition to two for each version that it added. So every write shrinks
    /// the backlog. Kept small because each costs several cache misses, a microsecond or more: with 8, a backlog of
    /// 100,000 delayed puts by 30 ms at 200,000 puts a second.
    private static var pruneShare: Int { 1 }
    /// Old versions that the release of a read pin looks at.
    private static var releaseShare: Int { 8 }
    /// Old versions that are looked at while the lock is held once: less than 100 µs.
    private static var pruneSlice: Int { 256 }

    /// Creates an empty index.
    ///
    /// - Parameter undoCapacity: Entries in a chunk of the undo log. Less than a page holds is only for tests.
    package init(undoCapacity: Int = UndoChunk.largestCapacity) {
        let epochs = Epochs()
        let initial = IndexState(epochs, undoCapacity: undoCapacity)
        self.epochs = epochs
        tree = initial.tree.reader
        preparer = Preparer(tree: tree)
        undo = initial.undo.reader
        state = Locked(initial)
        stateUnderLock = state.stateUnderLock
    }

    deinit {
        state.withLock { $0.destroy() }
        point.deallocate()
    }

    /// Calls `body` with the lock held.
    func withLock<R>(_ body: () -> R) -> R { state.withLock { _ in body() } }

    /// A lock for another state that is this index's lock, too.
    func shareLock<Other>(with other: consuming sending Other) -> ConditionLock<Other> {
        ConditionLock(other, sharing: state)
    }

    /// The address up to which readers see.
    var visible: UInt64 { point.value }

    /// The sequence number of the last visible write.
    var visibleSequence: SequenceNumber { state.withLock { $0.visibleSequence } }

    /// Adds the versions of one write. If `publish` is true, makes them visible at once.
    ///
    /// - Parameters:
    ///   - addresses: From the address of its first record to that of its last record or a higher one. They increase
    ///     from call to call.
    ///   - count: The number of its records.
    package func apply(
        sequence: SequenceNumber, addresses: ClosedRange<UInt64>, count: Int, publish: Bool,
        _ changes: (inout Writer) -> Void
    ) {
        state.withLock { _ in
            applyUnderLock(sequence: sequence, addresses: addresses, count: count, publish: publish, changes)
        }
    }

    /// The same, for callers that have the lock.
    @inline(__always)
    func applyUnderLock(
        sequence: SequenceNumber, addresses: ClosedRange<UInt64>, count: Int, publish: Bool,
        _ changes: (inout Writer) -> Void
    ) {
        let state = stateUnderLock
        state.pointee.note(newest: addresses.upperBound, sequence)
        // A single version may become visible as soon as it is in the index. So it is published first, and what it
        // supersedes can be overwritten in place. Several versions must become visible together, after all are added.
        let isAlone = count == 1
        if publish, isAlone { self.publish(addresses.upperBound, sequence, &state.pointee) }
        var writer = Writer(state: state, start: addresses.lowerBound)
        changes(&writer)
        let added = writer.count
        if publish, !isAlone { self.publish(addresses.upperBound, sequence, &state.pointee) }
        // If another thread is dropping old versions, the writer doesn't need to.
        if !state.pointee.isBeingPruned { _ = state.pointee.prune(limit: Self.pruneShare + 2 * added) }
    }

    private func publish(_ address: UInt64, _ sequence: SequenceNumber, _ state: inout IndexState) {
        state.advance(to: address, sequence)
        point.set(state.visible)
    }

    /// Makes everything up to `address` visible: the writes up to `sequence`.
    package func publish(_ address: UInt64, _ sequence: SequenceNumber) {
        state.withLock { state in
            publish(address, sequence, &state)
            _ = state.prune(limit: Self.pruneSlice)
        }
    }

    /// Fills the empty index with sorted keys.
    func load(_ entries: some SortedVersions) {
        var loader = Loader(self)
        loader.add(entries, followedBy: nil)
        loader.finish()
    }

    /// Takes a read pin: keeps all that a reader at the point sees until `release`. Each call needs one `release`.
    ///
    /// - Parameter newest: Whether to include writes that aren't visible yet.
    package func pin(newest: Bool = false) -> ReadPoint { state.withLock { $0.pin(newest: newest) } }

    /// Takes a read pin at the newest version, visible or not. For callers that have the lock.
    func pinNewestUnderLock() -> ReadPoint { stateUnderLock.pointee.pin(newest: true) }

    /// Releases one read pin of a point.
    package func release(_ point: ReadPoint) {
        state.withLock { state in
            state.release(point.address)
            state.pinEpochs.leave(point.pinEpoch)
            _ = state.prune(limit: Self.releaseShare)
        }
    }

    /// Drops all versions that no reader can see, in slices. Between slices, other threads get the lock.
    ///
    /// - Parameter givesWay: Whether to pause after each slice for about as long as a slice takes.
    package func prune(givingWay givesWay: () -> Bool = { true }) {
        // A thread that unlocks and locks again at once starves the others, even if it yields: puts waited for 40 ms.
        while state.withLock({ state in
            state.isBeingPruned = state.prune(limit: Self.pruneSlice)
            return state.isBeingPruned
        }) {
            if givesWay() { pauseThread(nanoseconds: 10_000) } else { yieldThread() }
        }
    }

    package var statistics: IndexStatistics { state.withLock { $0.statistics } }

    /// The sum of the newest records' lengths, as far as their locations tell.
    var liveBytes: UInt64 { state.withLock { $0.liveBytes } }
    var liveBytesUnderLock: UInt64 { stateUnderLock.pointee.liveBytes }
    /// The same, and how many of these are of versions with an expiry.
    var liveAndExpiringBytes: (UInt64, UInt64) { state.withLock { ($0.liveBytes, $0.expiringBytes) } }

    /// How often the tree has changed its shape.
    package var churn: TreeChurn { state.withLock { $0.tree.churn } }
}

extension IndexState {
    fileprivate mutating func pin(newest: Bool) -> ReadPoint {
        let isNewer = newest && self.newest > visible
        let pinEpoch = pinEpochs.enter()
        let point =
            isNewer
            ? ReadPoint(address: self.newest, sequence: newestSequence, pinEpoch: pinEpoch)
            : ReadPoint(address: visible, sequence: visibleSequence, pinEpoch: pinEpoch)
        pin(point.address)
        return point
    }
}

/// What a reader sees: everything up to an address, that is, the writes up to a sequence number.
package struct ReadPoint: Sendable, Hashable {
    package let address: UInt64
    package let sequence: SequenceNumber
    /// The pin epoch in which the read pin was taken; see `PinEpochs`.
    var pinEpoch: UInt64 = 0
}
