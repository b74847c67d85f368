internal import HeartwoodConcurrency
internal import Synchronization

/// The changes that compaction makes to the index, in slices. Between slices, writers get the lock.
extension VersionedIndex {
    /// A number for ``mayHaveMoved(since:)``.
    var moveCount: UInt64 { moves.load(ordering: .sequentiallyConsistent) }

    /// Whether records may have been moved since `moveCount` had this value: a move was in progress then, or one has
    /// started since.
    func mayHaveMoved(since earlier: UInt64) -> Bool {
        earlier & 1 != 0 || moves.load(ordering: .sequentiallyConsistent) != earlier
    }

    /// Keys per slice. A slice holds the lock for less than 100 µs.
    private static var moveSlice: Int { 256 }

    /// Replaces the locations of a batch of records by locations in a snapshot. Only records that are the newest
    /// version of their key up to `point` are changed.
    ///
    /// - Parameters:
    ///   - pace: State of this move; pass the same value for every batch.
    ///   - givesWay: Whether, while writers are active, to pause after each slice for about as long as a slice takes.
    ///   - record: Returns the key with a number, and its location in the snapshot. The key must stay valid only until
    ///     the next call.
    /// - Returns: The lowest address of the records that were not moved, because a read pin has a point below their
    ///   address or their key has older versions; nil if there are none.
    func move(
        _ count: Int, ifUpTo point: UInt64, pace: inout MovingPace, givingWay givesWay: Bool = true,
        _ record: (Int) -> (key: UnsafeRawBufferPointer, location: RecordLocation)
    ) -> UInt64? {
        inSlices(count, &pace, givesWay) { state, number in
            let (key, location) = record(number)
            return state.move(key, to: location, ifUpTo: point)
        }
    }

    /// Removes the expired keys of a page. Slices and result are the same as for ``move(_:ifUpTo:pace:givingWay:_:)``.
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
            // A thread that unlocks and locks again at once starves the others, even if it yields: at 200,000 puts a
            // second, a put waited for 50 ms. A waiting thread may need more time to wake up than a slice takes.
            if pace.isBusy(newest), givesWay { pauseThread(nanoseconds: 10_000) } else { yieldThread() }
        }
        return kept
    }

    /// Whether any key has expired at this time. O(keys).
    func hasExpired(at time: UInt64) -> Bool {
        var found = false
        forEachExpired(at: time) { keys in
            found = !keys.isEmpty
            return !found
        }
        return found
    }

    /// Calls `body` with the keys whose newest versions have expired at this time, page by page, until it returns
    /// false. O(keys).
    func forEachExpired(at time: UInt64, _ body: ([[UInt8]]) -> Bool) {
        var last: [UInt8]?
        repeat {
            let (keys, resume) = expiredKeys(after: last, at: time, limit: 8_192)
            guard body(keys) else { return }
            last = resume
        } while last != nil
    }

    /// One page of the keys after `last` whose newest versions have expired at this time. Visits at most `limit` keys.
    ///
    /// - Returns: The expired keys, and the key after which to continue; nil at the end.
    func expiredKeys(after last: [UInt8]?, at time: UInt64, limit: Int) -> (keys: [[UInt8]], resume: [UInt8]?) {
        var keys: [[UInt8]] = []
        let resume = visitExpired(after: last, at: time, limit: limit) { key, _ in keys.append([UInt8](key)) }
        return (keys, resume)
    }

    /// The bytes of the newest records that have expired at this time; see ``IndexStatistics/liveBytes``. O(keys).
    func expiredBytes(at time: UInt64) -> UInt64 {
        var bytes: UInt64 = 0
        var last: [UInt8]?
        repeat {
            last = visitExpired(after: last, at: time, limit: 8_192) { bytes += UInt64($1.location.lengthBound) }
        } while last != nil
        return bytes
    }

    /// - Returns: The key after which to continue; nil at the end.
    private func visitExpired(
        after last: [UInt8]?, at time: UInt64, limit: Int, _ body: (UnsafeRawBufferPointer, Version) -> Void
    ) -> [UInt8]? {
        let range = last.map { KeyRange.all.remainder(after: $0, reversed: false) } ?? .all
        var seen = 0
        var resume: [UInt8]?
        epochs.pinned {
            tree.walk(range, reversed: false) { key, bits in
                seen += 1
                if let block = VersionWord(bits: bits).block {
                    let newest = block.version
                    if newest.expiry != 0, newest.expiry <= time, !newest.isTombstone { body(key, newest) }
                }
                guard seen < limit else {
                    resume = [UInt8](key)
                    return false
                }
                return true
            }
        }
        return resume
    }

    // MARK: - Readers in progress

    /// Starts a new pin epoch and returns the one that it ends.
    func endPinEpoch() -> UInt64 { state.withLock { $0.pinEpochs.end() } }

    /// Whether all read pins of this pin epoch, and of earlier ones, are released.
    func isOver(_ pinEpoch: UInt64) -> Bool { state.withLock { $0.pinEpochs.isOver(pinEpoch) } }

    /// The address of the newest version, visible or not.
    var newest: UInt64 { state.withLock { $0.newest } }

    /// Waits until all reads that began before the call have ended. Blocks the thread.
    ///
    /// - Returns: False if `isCancelled` returned true first.
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

/// Detects whether writers are active while records are moved.
struct MovingPace {
    private var last: UInt64?
    private var quiet = 0

    /// Call at the end of each slice with the address of the newest version. True if a version was added during the
    /// last 16 slices.
    mutating func isBusy(_ newest: UInt64) -> Bool {
        quiet = newest == last ? quiet + 1 : 0
        last = newest
        return quiet < 16
    }
}
