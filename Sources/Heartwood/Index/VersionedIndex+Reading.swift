internal import HeartwoodFileSystem

/// Returned by `pinEpoch`, passed to `unpinEpoch`.
typealias EpochPin = Epochs.Pin

extension VersionedIndex {
    /// Pins the current reclamation epoch until `unpinEpoch`: nothing that this thread finds from now on is freed, and
    /// no file closed in which a version that it finds has its record. Never waits. See `Epochs`.
    @inline(__always)
    func pinEpoch() -> EpochPin { epochs.pin() }

    @inline(__always)
    func unpinEpoch(_ pin: EpochPin) { epochs.unpin(pin) }

    /// Calls `body` with the reclamation epoch pinned.
    @inline(__always)
    func pinningEpoch<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try epochs.pinned(body) }

    /// What a reader at `point` finds; nil if there is no value. Ignores expiry.
    ///
    /// Nil as `point` means the visible point. Any other point must have a read pin.
    @inline(__always)
    package func find(_ key: UnsafeRawBufferPointer, at point: UInt64?) -> Version? {
        let pin = epochs.pin()
        defer { epochs.unpin(pin) }
        return findPinned(key, at: point)
    }

    /// The same, for a caller that has an epoch pin.
    @inline(__always)
    func findPinned(_ key: UnsafeRawBufferPointer, at point: UInt64?) -> Version? {
        let version =
            if let point {
                tree.find(key).flatMap { VersionWord(bits: $0).version(at: point, undo) }
            } else {
                Self.visibleVersion(undo) {
                    tree.find(key).map { VersionWord(bits: $0) }
                } _: {
                    visible
                }
            }
        guard let version, !version.isTombstone else { return nil }
        return version
    }

    /// The version that is visible now. The caller must have an epoch pin.
    ///
    /// The visible point is read first, then the word. If the word's own version is not after that point, it is the
    /// result.
    ///
    /// Otherwise the version is newer. It may be one of several versions of the key in one write, of which readers may
    /// only see the last. So it is not enough that the point has reached it since. The result is then the older version
    /// at the point, provided that the point is still the same afterwards. If the point has moved, the older version
    /// may already be dropped: the search then finds nothing, or a still older version that is kept for a read pin. So
    /// everything is looked up again.
    ///
    /// The loop ends when no write becomes visible between two look-ups, or when the word's own version is visible.
    @inline(__always)
    static func visibleVersion(
        _ undo: UndoReader, _ find: () -> VersionWord?, _ visible: () -> UInt64
    ) -> Version? {
        var point = visible()
        while true {
            guard let word = find() else { return nil }
            if word.newestAddress <= point { return word.newest }
            let version = word.version(at: point, undo)
            let now = visible()
            if now == point { return version }
            point = now
        }
    }

    /// The newest version of a key, pending ones included. For a removed key this is the tombstone, or nil once it is
    /// dropped.
    func newest(_ key: UnsafeRawBufferPointer) -> Version? {
        epochs.pinned { tree.find(key).map { VersionWord(bits: $0).newest } }
    }

    /// Calls `body` with the keys in a range that have a value at a pinned read point, and with those versions, until
    /// it returns false. Ignores expiry.
    ///
    /// The key is valid only during the call. `body` must be quick: dropped memory can't be reused until the walk ends.
    @inline(__always)
    package func forEach(
        in range: KeyRange, at point: UInt64, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, Version) -> Bool
    ) {
        let pin = epochs.pin()
        defer { epochs.unpin(pin) }
        tree.walk(range, reversed: reversed) { key, bits in
            guard let version = VersionWord(bits: bits).version(at: point, undo), !version.isTombstone else {
                return true
            }
            return body(key, version)
        }
    }

    /// The number of keys that have a value at a pinned read point, without those that have expired at `time`. O(keys
    /// in the range).
    ///
    /// It walks over some thousand keys at a time, so that dropped memory can be reused before it ends.
    func count(_ range: KeyRange, at point: UInt64, aliveAt time: UInt64 = 0) -> Int {
        var count = 0
        var rest: KeyRange? = range
        while let part = rest {
            var left = 4_096
            rest = nil
            forEach(in: part, at: point, reversed: false) { key, version in
                if version.isAlive(at: time) { count += 1 }
                left -= 1
                if left == 0 { rest = part.remainder(after: [UInt8](key), reversed: false) }
                return left > 0
            }
        }
        return count
    }

    /// Whether a read of the range now, pending writes included, returns the same as at `base`, where it had `count`
    /// live keys.
    ///
    /// The caller must be the writer, so that no version is added meanwhile. `base` must still be pinned, because
    /// compaction could otherwise move a newer record to an address below it. `time` must be the time of that pin,
    /// because keys that had expired by then may be dropped meanwhile.
    ///
    /// True is always correct, although tombstones are dropped. If no key has a version newer than `base`, every key
    /// that is live now has the version that it had at `base`. So the live keys are a subset of those at `base`, and
    /// equal counts mean equal sets. A key that was removed since, and whose tombstone was dropped, makes the subset
    /// smaller. False may be wrong in one case: a key that was added and removed since `base` counts as a change until
    /// its tombstone is dropped.
    func isUnchanged(_ range: KeyRange, since base: UInt64, count: Int, aliveAt time: UInt64 = 0) -> Bool {
        var live = 0
        var isChanged = false
        epochs.pinned {
            tree.walk(range, reversed: false) { _, bits in
                let newest = VersionWord(bits: bits).newest
                isChanged = newest.address > base
                if !newest.isTombstone, newest.isAlive(at: time) { live += 1 }
                return !isChanged && live <= count
            }
        }
        return !isChanged && live == count
    }
}
