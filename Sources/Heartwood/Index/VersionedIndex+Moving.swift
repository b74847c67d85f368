internal import HeartwoodFileSystem
internal import Synchronization

/// What compaction does to the index, in slices between which writers get the lock.
extension VersionedIndex {
    /// Whether places may have moved since `moves` had this value: somebody was, or has been, about it.
    func mayHaveMoved(since earlier: UInt64) -> Bool {
        earlier & 1 != 0 || moves.load(ordering: .sequentiallyConsistent) != earlier
    }

    /// Keys that are looked at under one hold of the lock: less than a hundred microseconds. As long again they aren't.
    private static var moveSlice: Int { 256 }

    /// Gives the records of a batch their places in a snapshot, those of them that are still the newest of their keys up to
    /// a point.
    ///
    /// - Parameters:
    ///   - pace: Of this move, from batch to batch.
    ///   - givesWay: Whether others get the lock for as long as a slice takes, where somebody writes.
    ///   - record: The key of a number, and its place in the snapshot. The key need be valid only until it is asked
    ///   for the next one.
    /// - Returns: The lowest address of those that were kept where they are, because somebody holds what they supersede; nil
    ///   where none was.
    func move(
        _ count: Int, ifUpTo point: UInt64, pace: inout MovingPace, givingWay givesWay: Bool = true,
        _ record: (Int) -> (key: UnsafeRawBufferPointer, place: Place)
    ) -> UInt64? {
        inSlices(count, &pace, givesWay) { state, number in
            let (key, place) = record(number)
            return state.move(key, to: place, ifUpTo: point)
        }
    }

    /// Removes the keys of a page that have expired, as ``move(_:ifUpTo:_:)`` moves others.
    func dropExpired(_ keys: [[UInt8]], at time: UInt64, ifUpTo point: UInt64) -> UInt64? {
        var pace = MovingPace()
        return inSlices(keys.count, &pace, true) { state, number in
            keys[number].withUnsafeBytes { state.dropExpired($0, at: time, ifUpTo: point) }
        }
    }

    private func inSlices(
        _ count: Int, _ pace: inout MovingPace, _ givesWay: Bool, _ body: (inout IndexState, Int) -> IndexState.Move
    ) -> UInt64? {
        var kept: UInt64?
        var start = 0
        while start < count {
            let end = min(count, start + Self.moveSlice)
            moves.add(1, ordering: .sequentiallyConsistent)
            let newest = state.withLock { state in
                for number in start..<end {
                    if case .kept(let address) = body(&state, number) { kept = min(kept ?? .max, address) }
                }
                _ = state.prune(limit: Self.moveSlice)
                return state.newest
            }
            start = end
            moves.add(1, ordering: .sequentiallyConsistent)
            // A thread that unlocks and locks again at once leaves nobody else a chance, even if it yields: at 200,000
            // puts a second they got one in between two slices, and the last was 50 ms late. Whoever waits for it may take
            // longer to wake up than a slice takes.
            if pace.isBusy(newest), givesWay { pauseThread(nanoseconds: 10_000) } else { yieldThread() }
        }
        return kept
    }

    /// Whether a key has expired at a time. O(keys).
    func hasExpired(at time: UInt64) -> Bool {
        var found = false
        forEachExpired(at: time) { keys in
            found = !keys.isEmpty
            return !found
        }
        return found
    }

    /// Calls `body` with the keys whose newest versions had expired at a time, page by page, as long as it returns true.
    /// O(keys).
    func forEachExpired(at time: UInt64, _ body: ([[UInt8]]) -> Bool) {
        var last: [UInt8]?
        repeat {
            let (keys, resume) = expiredKeys(after: last, at: time, limit: 8_192)
            guard body(keys) else { return }
            last = resume
        } while last != nil
    }

    /// The keys from `start` on whose newest versions had expired at a time, some at a time; whether there may be more, and
    /// behind which key.
    func expiredKeys(after last: [UInt8]?, at time: UInt64, limit: Int) -> (keys: [[UInt8]], resume: [UInt8]?) {
        let range = last.map { KeyRange.all.remainder(after: $0, reversed: false) } ?? .all
        var keys: [[UInt8]] = []
        var seen = 0
        var resume: [UInt8]?
        epochs.pinned {
            tree.walk(range, reversed: false) { key, bits in
                seen += 1
                if let block = VersionWord(bits: bits).block {
                    let newest = block.version
                    if newest.expiry != 0, newest.expiry <= time, !newest.isTombstone { keys.append([UInt8](key)) }
                }
                guard seen < limit else {
                    resume = [UInt8](key)
                    return false
                }
                return true
            }
        }
        return (keys, resume)
    }

    // MARK: - Who is still reading

    /// Begins a new era of holds; returns the one that it ends.
    func endEra() -> UInt64 { state.withLock { $0.eras.end() } }

    /// Whether all holds of an era, and of those before it, are gone.
    func isOver(_ era: UInt64) -> Bool { state.withLock { $0.eras.isOver(era) } }

    /// The address of the newest version, visible or not.
    var newest: UInt64 { state.withLock { $0.newest } }

    /// Returns once nobody reads who began before; false if it was told to give up. Blocks.
    func waitForReaders(unless isCancelled: () -> Bool) -> Bool {
        let end = epochs.current + 2
        var pause = 20_000
        while true {
            let now = state.withLock { state in
                epochs.tryAdvance()
                return epochs.current
            }
            if now >= end { return true }
            if isCancelled() { return false }
            pauseThread(nanoseconds: pause)
            pause = min(2 * pause, 1_000_000)
        }
    }
}

/// Whether somebody writes while records are moved.
struct MovingPace {
    private var last: UInt64?
    private var quiet = 0

    /// Takes note of the newest version at the end of a slice: whether one came within the last slices.
    mutating func isBusy(_ newest: UInt64) -> Bool {
        quiet = newest == last ? quiet + 1 : 0
        last = newest
        return quiet < 16
    }
}
