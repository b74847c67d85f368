internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// Collects the records of a log and builds the index from them.
///
/// Adding one key at a time would cost a search with cache misses for each. So records are collected up to half a
/// gigabyte of keys, sorted, and reduced to the newest of each key. The first such run is loaded as a whole, node by
/// node. Later runs are added in key order.
struct RecordCollector {
    private let index: VersionedIndex
    private var run = SortedRun()
    /// The most bytes that a run may take.
    private let limit: Int

    init(_ index: VersionedIndex, limit: Int = 512 << 20) {
        self.index = index
        self.limit = limit
    }

    /// Adds a record. Records come in the order of the log.
    mutating func add(_ key: UnsafeRawBufferPointer, _ version: Version) {
        run.add(key, version)
        if run.byteCount > limit { flush() }
    }

    /// Adds the last run to the index.
    mutating func finish() { flush() }

    private mutating func flush() {
        guard !run.isEmpty else { return }
        run.sort()
        index.merge(run)
        run = SortedRun()
    }
}

extension VersionedIndex {
    /// Adds the newest versions of sorted keys, visible at once. For openings, before there are readers.
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

/// The entries of a run without its tombstones.
private struct LiveEntries: SortedVersions {
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

extension ScannedCommit {
    /// Calls `body` with the key and the version of each record that changes a key.
    ///
    /// - Parameter base: The address at which the segment begins.
    func forEachVersion(base: UInt64, _ body: (UnsafeRawBufferPointer, Version) -> Void) {
        keys.withUnsafeBytes { keys in
            for record in records {
                if case .optional = record.header.kind { continue }
                body(
                    keys.slice(record.keyStart, Int(record.header.keyLength)),
                    Version(
                        location: RecordLocation(
                            address: base + record.offset >> 3, length: record.header.encodedLength),
                        expiry: record.header.expiry, isTombstone: record.header.kind == .delete))
            }
        }
    }
}
