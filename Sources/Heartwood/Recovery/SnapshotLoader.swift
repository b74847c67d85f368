internal import HeartwoodConcurrency
internal import HeartwoodFiles
internal import HeartwoodFormat

/// Builds the index from a snapshot's keys, without reading its records.
///
/// One thread reads, verifies and decodes; another thread builds. Usually neither waits for the other.
struct SnapshotLoader {
    let snapshot: SnapshotFile
    /// The snapshot's addresses: as many as there are verified entries.
    let segment: Segment
    let segments: SegmentTable
    let index: VersionedIndex
    /// Called with the number of keys that were added.
    let progress: (Int) -> Void

    /// For a smaller section, a second thread costs more than it gains.
    private static var smallSection: UInt64 { 1 << 20 }
    private static var batchKeys: Int { 16 << 10 }
    private static var batchBytes: Int { 1 << 20 }

    /// Reads the key section into the empty index. O(keys).
    ///
    /// - Throws: `.corruption`, `.inputOutput`. The index is unusable then.
    func load() throws(StoreError) {
        let bytes = snapshot.footerOffset - snapshot.footer.keySectionOffset
        let pipe = BatchPipe()
        var thread: ThreadHandle?
        if bytes > Self.smallSection {
            let snapshot = snapshot
            thread = try? startThread(name: "heartwood-load") { Self.fill(pipe, from: snapshot) }
        }
        if thread == nil { try loadAlone() } else { try build(from: pipe) }
        thread?.join()
    }

    private func loadAlone() throws(StoreError) {
        var section = try KeySection(snapshot)
        var loader = VersionedIndex.Loader(index)
        var (previous, next) = (KeyBatch(), KeyBatch())
        while try Self.read(&section, next) {
            add(previous, followedBy: next.key(0), by: &loader)
            swap(&previous, &next)
        }
        add(previous, followedBy: nil, by: &loader)
        loader.finish()
    }

    private func build(from pipe: BatchPipe) throws(StoreError) {
        // The other thread must end on every path.
        defer { pipe.give(up: true) }
        var loader = VersionedIndex.Loader(index)
        var previous: KeyBatch?
        while let next = try pipe.take() {
            if let previous {
                add(previous, followedBy: next.key(0), by: &loader)
                pipe.giveBack(previous)
            }
            previous = next
        }
        if let previous { add(previous, followedBy: nil, by: &loader) }
        loader.finish()
    }

    private func add(
        _ batch: KeyBatch, followedBy next: UnsafeRawBufferPointer?, by loader: inout VersionedIndex.Loader
    ) {
        if batch.count > 0 {
            let last = batch.entry(batch.count - 1)
            segments.extend(segment, to: last.offset + UInt64(last.length))
        }
        loader.add(BatchEntries(batch: batch, base: segment.baseAddress), followedBy: next)
        progress(batch.count)
    }

    private static func fill(_ pipe: BatchPipe, from snapshot: SnapshotFile) {
        do throws(StoreError) {
            var section = try KeySection(snapshot)
            while let batch = pipe.takeFree() {
                guard try read(&section, batch) else {
                    pipe.end(.success(()))
                    return
                }
                pipe.put(batch)
            }
        } catch {
            pipe.end(.failure(error))
        }
    }

    /// Fills a batch again; false at the end of the section.
    private static func read(_ section: inout KeySection, _ batch: KeyBatch) throws(StoreError) -> Bool {
        batch.removeAll()
        while batch.count < batchKeys, batch.byteCount < batchBytes, try section.next(batch) {}
        return batch.count > 0
    }
}

private struct BatchEntries: SortedVersions {
    let batch: KeyBatch
    let base: UInt64

    var count: Int { batch.count }
    var mayExpire: Bool { batch.expiringCount > 0 }

    @inline(__always)
    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R { body(batch.key(index)) }

    @inline(__always)
    func version(_ index: Int) -> Version {
        let entry = batch.entry(index)
        return Version(
            location: RecordLocation(address: base + entry.offset >> 3, length: entry.length), expiry: entry.expiry)
    }
}

/// Batches on their way from the reading thread to the building thread, and back.
private final class BatchPipe: Sendable {
    private struct State {
        var filled: [KeyBatch] = []
        var free = [KeyBatch(), KeyBatch(), KeyBatch(), KeyBatch()]
        var end: Result<Void, StoreError>?
        var isGivenUp = false
    }

    private let state = ConditionLock(State())

    /// A batch to fill; nil if no more are wanted.
    func takeFree() -> KeyBatch? {
        state.withLock { held in
            while true {
                if held.state.isGivenUp { return nil }
                if let batch = held.state.free.popLast() { return batch }
                held.wait()
            }
        }
    }

    func put(_ batch: KeyBatch) {
        state.withLock { held in
            held.state.filled.append(batch)
            held.broadcast()
        }
    }

    func end(_ result: Result<Void, StoreError>) {
        state.withLock { held in
            held.state.end = result
            held.broadcast()
        }
    }

    /// The next batch in order; nil at the end.
    func take() throws(StoreError) -> KeyBatch? {
        let next = state.withLock { held -> Result<KeyBatch?, StoreError> in
            while true {
                if !held.state.filled.isEmpty { return .success(held.state.filled.removeFirst()) }
                if let end = held.state.end { return end.map { nil } }
                held.wait()
            }
        }
        return try next.get()
    }

    func giveBack(_ batch: KeyBatch) {
        state.withLock { held in
            held.state.free.append(batch)
            held.broadcast()
        }
    }

    func give(up: Bool) {
        state.withLock { held in
            held.state.isGivenUp = up
            held.broadcast()
        }
    }
}
