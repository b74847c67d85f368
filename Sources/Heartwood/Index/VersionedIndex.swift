internal import HeartwoodFileSystem
internal import Synchronization

/// The ordered index in memory: for every key its versions, each with the place of its record.
///
/// One writer adds versions in the order of their sequences; they become visible when they are published. Readers, on
/// any thread, read at the visible sequence or at one that they hold. One lock guards everything, and no call keeps it
/// longer than its own work needs: what became garbage is freed in bounded portions, by this call and later ones.
final class VersionedIndex: Sendable {
    /// Adds the versions of one write. Of use inside the closure that it is lent to.
    struct Writer: ~Copyable {
        /// Sound because `apply` makes the writer from its own exclusive access and ends it before that access does.
        fileprivate let chains: UnsafeMutablePointer<VersionChains>
        fileprivate(set) var count = 0

        /// Adds a version of a key, or replaces the one of the same sequence. The key is copied.
        ///
        /// A version older than the newest that the key has is passed over.
        mutating func add(key: UnsafeRawBufferPointer, version: Version) {
            chains.pointee.add(key, version)
            count += 1
        }
    }

    let chains = Locked(VersionChains())
    private let published = Atomic<UInt64>(0)

    /// Old versions that a call looks at besides twice as many as it added; so a backlog shrinks with every call.
    private static var pruneShare: Int { 64 }
    /// Old versions that are looked at under one hold of the lock, a fraction of a millisecond.
    private static var pruneSlice: Int { 1_024 }

    init() {}

    deinit {
        chains.withLock { $0.destroy() }
    }

    /// The sequence up to which readers see.
    var visible: UInt64 {
        published.load(ordering: .acquiring)
    }

    /// Adds the versions of one write, and makes them visible at once when `publish` is set.
    ///
    /// Sequences increase from call to call, and a version's own sequence is not greater than that of its write. (It
    /// may be less: a snapshot is loaded as one write.) Where a write has several versions of a key the last one wins.
    func apply(sequence: UInt64, publish: Bool, _ changes: (inout Writer) -> Void) {
        chains.withLock { chains in
            chains.newest = sequence
            if publish {
                // First, so that superseded versions are overwritten in place. Nobody sees it before the lock opens.
                chains.advance(to: sequence)
            }
            let count = withUnsafeMutablePointer(to: &chains) { chains in
                var writer = Writer(chains: chains)
                changes(&writer)
                return writer.count
            }
            _ = chains.prune(limit: VersionedIndex.pruneShare + 2 * count)
            if publish {
                published.store(chains.visible, ordering: .releasing)
            }
        }
    }

    /// Makes everything up to `sequence` visible.
    func publish(_ sequence: UInt64) {
        chains.withLock { chains in
            chains.advance(to: sequence)
            published.store(chains.visible, ordering: .releasing)
            _ = chains.prune(limit: VersionedIndex.pruneSlice)
        }
    }

    /// Ends recovery: everything is visible up to `visible`, and each key keeps its newest version alone.
    func restore(visible: UInt64) {
        publish(visible)
        prune()
    }

    /// Keeps all that a reader at `sequence` sees until `release`, and returns the sequence. Holds are counted.
    ///
    /// Nil is the visible sequence. A given sequence is not less than that, or is held already: what only readers at
    /// an earlier one saw may be gone.
    func hold(_ sequence: UInt64? = nil) -> UInt64 {
        chains.withLock { chains in
            let sequence = sequence ?? chains.visible
            chains.hold(sequence)
            return sequence
        }
    }

    /// Holds the newest state, writes that aren't visible yet included. Taken in one step, because a sequence that was
    /// read before may be out of date: what only it shows may be gone.
    func holdNewest() -> UInt64 {
        chains.withLock { chains in
            let sequence = max(chains.newest, chains.visible)
            chains.hold(sequence)
            return sequence
        }
    }

    /// Ends one hold of a sequence.
    func release(_ sequence: UInt64) {
        chains.withLock { chains in
            chains.release(sequence)
            _ = chains.prune(limit: VersionedIndex.pruneShare)
        }
    }

    /// Frees all that nobody can see any more, in slices between which others get the lock.
    func prune() {
        while chains.withLock({ $0.prune(limit: VersionedIndex.pruneSlice) }) {}
    }

    var statistics: IndexStatistics {
        chains.withLock { $0.statistics }
    }
}
