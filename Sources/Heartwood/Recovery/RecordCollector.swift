internal import HeartwoodFileSystem

/// Gathers what a log says of each key, and builds the index of it.
///
/// A key at a time would cost a search each, in memory that is in no cache. So the records of up to half a gigabyte of
/// keys are sorted and only the newest of each key is kept: the first lot is loaded as a whole, node by node, later
/// ones are added in the order of their keys.
struct RecordCollector {
    private let index: VersionedIndex
    private var run = SortedRun()
    /// Bytes that a lot may take.
    private let limit: Int

    init(_ index: VersionedIndex, limit: Int = 512 << 20) {
        self.index = index
        self.limit = limit
    }

    /// Notes what a record says. Records come in the order of the log.
    mutating func add(_ key: UnsafeRawBufferPointer, _ version: Version) {
        run.add(key, version)
        if run.byteCount > limit { flush() }
    }

    /// Brings what was gathered last into the index.
    mutating func finish() { flush() }

    private mutating func flush() {
        guard !run.isEmpty else { return }
        run.sort()
        index.merge(run)
        run = SortedRun()
    }
}

extension VersionedIndex {
    /// Adds the newest versions of keys in order, visible at once. For openings, before there are readers.
    func merge(_ run: SortedRun) {
        if statistics.versions == 0 {
            load(LiveEntries(run))
            return
        }
        state.withLock { state in
            state.advance(to: run.lastAddress, 0)
            for position in 0..<run.count {
                run.withKey(position) { state.add($0, run.version(position), writeFrom: 0) }
            }
        }
    }
}

/// The entries of a run that are values.
private struct LiveEntries: LoadableEntries {
    let run: SortedRun
    private let positions: [Int]?

    init(_ run: SortedRun) {
        self.run = run
        positions =
            run.hasTombstones ? (0..<run.count).filter { !run.version($0).isTombstone } : nil
    }

    var count: Int { positions?.count ?? run.count }

    var mayExpire: Bool { run.mayExpire }

    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        run.withKey(positions?[index] ?? index, body)
    }

    func version(_ index: Int) -> Version { run.version(positions?[index] ?? index) }
}
