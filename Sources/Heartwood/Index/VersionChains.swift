/// The state of an index: its keys, the versions of each, and what they are kept for.
///
/// A version is kept as long as a reader can see it: one at `visible`, at a held sequence, or at any sequence above
/// `visible`, which may become visible yet. With `a` its own sequence and `b` that of the version that superseded it,
/// it can go as soon as `b <= visible` and no sequence in `a..<b` is held. A removal at the bottom of a chain goes
/// with its key: no reader can tell it from an absent key.
///
/// Where an old version waits follows from that. As long as `b > visible`, in `pending`; then with a hold that sees
/// it; and once that is released, in `released` until it is looked at again.
struct VersionChains {
    private(set) var tree = EntryTree()
    private(set) var visible: UInt64 = 0
    /// The sequence of the last write that was added, visible or not.
    var newest: UInt64 = 0
    private(set) var holds = Holds()
    /// In the order of the versions that superseded them.
    private(set) var pending = OldVersionQueue()
    private(set) var released = OldVersionQueue()

    /// Keys whose newest version is a value.
    private(set) var liveKeys = 0
    /// The sum of the newest values' lengths.
    private(set) var liveBytes: UInt64 = 0
    private(set) var oldVersions = 0
    private(set) var tombstones = 0

    /// Frees everything. The state is of no use afterwards.
    func destroy() {
        for entry in tree.entries(in: .all) {
            while let old = entry.older {
                old.destroy()
            }
        }
        tree.destroy()
    }

    var statistics: IndexStatistics {
        IndexStatistics(
            keys: liveKeys,
            versions: tree.count + oldVersions,
            tombstones: tombstones,
            bytes: tree.byteCount + oldVersions * OldVersion.byteCount,
            liveBytes: liveBytes,
            heldSequences: holds.count)
    }

    mutating func add(_ key: UnsafeRawBufferPointer, _ version: Version) {
        let position = tree.seek(key)
        guard position.isFound else {
            if !version.isTombstone {
                tree.insert(KeyEntry.create(key: key, newest: version), at: position)
                countNewest(version)
            }
            return
        }
        let entry = position.leaf.entry(at: position.index)
        let superseded = entry.newest
        guard version.sequence >= superseded.sequence else { return }

        uncountNewest(superseded)
        if !canGo(superseded, supersededBy: version) {
            let old = OldVersion.create(fromNewestOf: entry)
            oldVersions += 1
            tombstones += superseded.isTombstone ? 1 : 0
            entry.newest = version
            if version.sequence > visible || !holds.keep(old) {
                pending.append(old)
            }
        } else {
            entry.newest = version
        }
        countNewest(version)
        if entry.isObsolete {
            uncountNewest(version)
            tree.remove(at: position)
        }
    }

    /// Whether a version may be overwritten in place instead of being queued.
    private func canGo(_ old: Version, supersededBy new: Version) -> Bool {
        if old.sequence == new.sequence { return true }
        return new.sequence <= visible && !holds.contains(oneOf: old.sequence..<new.sequence)
    }

    private mutating func countNewest(_ version: Version) {
        if version.isTombstone {
            tombstones += 1
        } else {
            liveKeys += 1
            liveBytes += UInt64(version.place.length)
        }
    }

    private mutating func uncountNewest(_ version: Version) {
        if version.isTombstone {
            tombstones -= 1
        } else {
            liveKeys -= 1
            liveBytes -= UInt64(version.place.length)
        }
    }
}

// MARK: - Holds and garbage

extension VersionChains {
    mutating func advance(to sequence: UInt64) {
        visible = max(visible, sequence)
    }

    mutating func hold(_ sequence: UInt64) {
        holds.add(sequence)
    }

    mutating func release(_ sequence: UInt64) {
        released.append(contentsOf: holds.remove(sequence))
    }

    /// Looks at up to `limit` old versions and frees those that nobody can see any more. False when none is left.
    mutating func prune(limit: Int) -> Bool {
        for _ in 0..<limit {
            guard let version = nextCandidate() else { return false }
            if !holds.keep(version) {
                drop(version)
            }
        }
        return true
    }

    private mutating func nextCandidate() -> OldVersion? {
        if let version = released.popFirst() { return version }
        guard let version = pending.first, version.sequences.upperBound <= visible else { return nil }
        return pending.popFirst()
    }

    private mutating func drop(_ old: OldVersion) {
        let entry = old.entry
        oldVersions -= 1
        tombstones -= old.version.isTombstone ? 1 : 0
        old.destroy()
        if entry.isObsolete {
            uncountNewest(entry.newest)
            tree.remove(at: tree.seek(entry.key))
        }
    }
}
