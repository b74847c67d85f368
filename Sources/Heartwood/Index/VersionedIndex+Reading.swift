internal import HeartwoodFileSystem

extension VersionedIndex {
    /// What a reader at `point` finds, nil when there is no value. Expiry is not judged.
    ///
    /// A nil point is the visible one. Any other is held.
    @inline(__always)
    package func find(_ key: UnsafeRawBufferPointer, at point: UInt64?) -> Version? {
        let pin = epochs.pin()
        defer { epochs.unpin(pin) }
        return findPinned(key, at: point)
    }

    /// The same, for a caller who is pinned.
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

    /// The version that is visible now. The caller is pinned.
    ///
    /// The point is read before the word: what was visible then is what it was meant to be. A word whose own version came
    /// after the point may be one of several that a write makes of the key, which nobody is ever to see but the last; so
    /// it isn't enough that the point has come up to it meanwhile. Then a version behind it counts, if the point is still
    /// the same afterwards: once a newer one is visible, what was seen at the point may be dropped, and a walk that is on
    /// its way comes to the end, or to a version still older that is kept for a hold. Otherwise all is looked up anew.
    /// Ends once no write becomes visible between two looks, or the word's own version is visible.
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

    /// The newest version of a key, pending ones included. Of a removed key the tombstone, or nil once that is gone.
    func newest(_ key: UnsafeRawBufferPointer) -> Version? {
        epochs.pinned { tree.find(key).map { VersionWord(bits: $0).newest } }
    }

    /// Calls `body` with the keys of a range that have a value at a held point, and with their versions, in order or
    /// against it, until it says false. The key is valid during the call only; `body` must be quick, as memory that is
    /// dropped meanwhile is not reused. Expiry is not judged.
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

    /// The number of keys that have a value at a held point, and which hasn't expired at a time. Linear in the range's
    /// keys.
    func count(_ range: KeyRange, at point: UInt64, aliveAt time: UInt64 = 0) -> Int {
        var count = 0
        forEach(in: range, at: point, reversed: false) { _, version in
            if version.isAlive(at: time) { count += 1 }
            return true
        }
        return count
    }

    /// Whether the range reads now, pending writes included, as it did at `base`, where it had `count` live keys. By
    /// who adds versions, so that none comes meanwhile. `base` is still held, or compaction may have given what is newer
    /// a place before it; `time` is that of the hold, for what had expired by then may be dropped meanwhile.
    ///
    /// Exact in what matters, though tombstones are dropped: if no key has a version newer than `base`, every key that
    /// is live now has the version that it had at `base`. So the live keys of now are a subset of those of then, and
    /// one that was removed and dropped since makes it a smaller subset; equal counts mean equal sets. A key that came
    /// and went since `base` may count as a change until its tombstone is dropped: true is never wrong.
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
