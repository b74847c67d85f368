internal import HeartwoodFileSystem

extension VersionedIndex {
    /// The value that a reader at `sequence` finds, nil when there is none. Expiry is not judged.
    ///
    /// A nil sequence is the visible one, read under the lock, so that its versions can't go meanwhile. Any other is
    /// not less than that, or held.
    func find(_ key: UnsafeRawBufferPointer, at sequence: UInt64?) -> Version? {
        chains.withLock { chains in
            guard let version = chains.tree.find(key)?.version(at: sequence ?? chains.visible) else { return nil }
            return version.isTombstone ? nil : version
        }
    }

    /// The newest version of a key, pending ones included. Of a removed key the tombstone, or nil once it was pruned.
    func newest(_ key: UnsafeRawBufferPointer) -> Version? {
        chains.withLock { $0.tree.find(key)?.newest }
    }

    /// Up to `limit` entries of the range as seen at `sequence`, in the direction asked for, from the first one
    /// strictly beyond `cursor` on. Fewer than `limit` only at the end of the range. Expiry is not judged.
    func collect(
        _ range: KeyRange, after cursor: [UInt8]?, at sequence: UInt64, reversed: Bool, limit: Int
    ) -> [IndexEntry] {
        let range = cursor.map { range.remainder(after: $0, reversed: reversed) } ?? range
        var entries: [IndexEntry] = []
        guard limit > 0 else { return entries }
        return chains.withLock { chains in
            for entry in chains.tree.entries(in: range, reversed: reversed) {
                guard let version = entry.version(at: sequence), !version.isTombstone else { continue }
                entries.append(IndexEntry(key: Array(entry.key), version: version))
                if entries.count == limit { break }
            }
            return entries
        }
    }

    /// The number of keys that have a value at `sequence`. Expiry is not judged. Linear in the range's keys.
    func count(_ range: KeyRange, at sequence: UInt64) -> Int {
        chains.withLock { chains in
            var count = 0
            for entry in chains.tree.entries(in: range) {
                if let version = entry.version(at: sequence), !version.isTombstone { count += 1 }
            }
            return count
        }
    }

    /// Whether the range reads now, pending writes included, as it did at `base`, where it had `count` live keys.
    ///
    /// Exact in what matters, though tombstones are pruned: if no key has a version newer than `base`, every key that
    /// is live now has the version that it had at `base`. So the live keys of now are a subset of those of then, and
    /// one that was removed and pruned since makes it a smaller subset; equal counts mean equal sets. A key that came
    /// and went since `base` may count as a change until its tombstone is pruned: true is never wrong.
    func isUnchanged(_ range: KeyRange, since base: UInt64, count: Int) -> Bool {
        chains.withLock { chains in
            var live = 0
            for entry in chains.tree.entries(in: range) {
                let newest = entry.newest
                if newest.sequence > base { return false }
                if !newest.isTombstone { live += 1 }
            }
            return live == count
        }
    }
}
