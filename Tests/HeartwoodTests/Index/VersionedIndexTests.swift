import Testing

@testable import Heartwood

/// What readers see, and what is kept for them.
@Suite struct VersionedIndexTests {
    let index = VersionedIndex()
    let a: [UInt8] = [0x61]
    let b: [UInt8] = [0x62]

    @Test func pendingWritesAreNewestButNotVisible() {
        index.put(a, 1)
        index.put(a, 2, publish: false)
        #expect(index.visibleSequence == 1)
        #expect(index.find(a)?.sequence == 1)
        #expect(index.newest(a)?.sequence == 2)
        #expect(index.find(a, at: 2)?.sequence == 2)
        index.publish(2)
        #expect(index.find(a)?.sequence == 2)
        #expect(index.statistics.versions == 1)
    }

    @Test func publishingNeverGoesBack() {
        index.put(a, 5)
        index.publish(3)
        #expect(index.visibleSequence == 5)
    }

    /// A reader has found a pending version. Then that version becomes visible, and the one that was visible before is
    /// dropped. The reader must not take an older version, which a pin still keeps, for it.
    @Test(arguments: [false, true])
    func aReaderThatIsOvertakenSeesNothingOlderThanItFound(isRemoved: Bool) {
        index.put(a, 1)
        let outer = index.pinSequence()
        if isRemoved { index.remove(a, 2) } else { index.put(a, 2) }
        let pinned = index.pinSequence()
        index.put(a, 3)
        index.put(a, 4, publish: false)
        let (version, _) = index.find(a) { _ in index.publish(4) }
        #expect(version?.sequence == 4)
        index.release(pinned)
        index.release(outer)
    }

    /// A write removes a key and then sets it. A reader that found the removal continues after the write has become
    /// visible: it must not take the key for removed.
    @Test func aReaderNeverSeesWhatItsWriteReplacesItself() {
        index.put(a, 1)
        let pin = index.epochs.pin()
        defer { index.epochs.unpin(pin) }
        var midway: VersionWord?
        index.apply(
            sequence: 2, addresses: 2 << 16...lastAddress(2), count: 2, publish: true
        ) { writer in
            a.withUnsafeBytes { writer.add(key: $0, version: .tombstone(2).part(0)) }
            midway = VersionWord(bits: a.withUnsafeBytes { index.tree.find($0) }!)
            a.withUnsafeBytes { writer.add(key: $0, version: .value(2).part(1)) }
        }
        var points = [lastAddress(1), lastAddress(2), lastAddress(2)]
        var found = 0
        let version = VersionedIndex.visibleVersion(index.undo) {
            found += 1
            return found == 1 ? midway : VersionWord(bits: a.withUnsafeBytes { index.tree.find($0) }!)
        } _: {
            points.removeFirst()
        }
        #expect(version == .value(2).part(1))
    }

    @Test func theLastVersionWithinAWriteWins() {
        for publish in [true, false] {
            let index = VersionedIndex()
            index.apply(sequence: 7, publish: publish) { writer in
                writer.add(a, .value(7, length: 8))
                writer.add(a, .tombstone(7))
                writer.add(a, .value(7, length: 24))
                writer.add(b, .value(7))
                writer.add(b, .tombstone(7))
            }
            #expect(index.newest(a) == .value(7, length: 24))
            #expect(index.newest(b) == nil)
            #expect(index.statistics.liveBytes == 24)
            #expect(index.checkInvariants() == nil)
        }
    }

    @Test func anOlderVersionIsIgnored() {
        index.put(a, 5)
        index.apply(sequence: 6, publish: true) { writer in writer.add(a, .value(4)) }
        #expect(index.newest(a)?.sequence == 5)
    }

    @Test func publishingAllLeavesNoHistory() {
        for sequence in 1...5_000 as ClosedRange<UInt64> {
            index.put(a, sequence, publish: false)
            if sequence % 2 == 0 {
                index.remove(b, sequence, publish: false)
            } else {
                index.put(b, sequence, publish: false)
            }
        }
        index.publish(5_000)
        index.prune()
        #expect(index.statistics.versions == 1)
        #expect(index.statistics.tombstones == 0)
        #expect(index.checkInvariants() == nil)
    }

    @Test func aPinnedSequenceKeepsWhatItSees() {
        index.put(a, 1)
        index.put(b, 2)
        let pinned = index.pinSequence()
        #expect(pinned == 2)
        index.remove(a, 3)
        index.put(b, 4)
        index.put(b, 5)
        #expect(index.find(a) == nil)
        #expect(index.find(a, at: pinned)?.sequence == 1)
        #expect(index.find(b, at: pinned)?.sequence == 2)
        #expect(index.count(in: .all, at: pinned) == 2)
        // Versions 2 and 5 of b, version 1 of a and its tombstone. Version 4 is not needed.
        #expect(index.statistics.versions == 4)
        #expect(index.statistics.tombstones == 1)
        index.release(pinned)
        #expect(index.statistics.versions == 1)
        #expect(index.statistics.tombstones == 0)
    }

    @Test func pinsAreCounted() {
        index.put(a, 1)
        #expect(index.pinSequence() == 1)
        #expect(index.pinSequence() == 1)
        index.put(a, 2)
        index.release(1)
        #expect(index.find(a, at: 1)?.sequence == 1)
        #expect(index.statistics.readPoints == 1)
        index.release(1)
        #expect(index.statistics.versions == 1)
        #expect(index.statistics.readPoints == 0)
    }

    /// A transaction reads at the newest sequence, pending writes included.
    @Test func aSequenceNotYetVisibleCanBePinned() {
        index.put(a, 1)
        index.put(a, 2, publish: false)
        let pinned = index.pinSequence(newest: true)
        index.put(a, 3, publish: false)
        index.publish(3)
        #expect(index.find(a, at: pinned)?.sequence == 2)
        #expect(index.statistics.versions == 2)
        index.release(pinned)
        #expect(index.statistics.versions == 1)
    }

    /// Pins are released in any order: the version stays until the last one.
    @Test(arguments: [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] as [[UInt64]])
    func overlappingPins(order: [UInt64]) {
        index.put(a, 1)
        for _ in 0..<3 {
            let pinned = index.pinSequence()
            index.put(b, pinned + 1)
        }
        index.put(a, 9)
        for (released, pinned) in order.enumerated() {
            #expect(index.find(a, at: pinned)?.sequence == 1)
            #expect(index.checkInvariants() == nil)
            index.release(pinned)
            #expect(index.find(a, at: order.last!)?.sequence == (released == 2 ? nil : 1))
        }
        #expect(index.statistics.versions == 2)
    }

    @Test func removingAnAbsentKeyLeavesNoTrace() {
        index.remove(a, 1, publish: false)
        index.put(b, 2)
        index.remove(b, 3)
        #expect(index.counts == IndexStatistics() && index.treeBytes == Node.byteCount)
    }

    @Test func aTombstoneStaysAsLongAsItHidesSomething() {
        index.put(a, 1)
        index.remove(a, 2, publish: false)
        #expect(index.find(a)?.sequence == 1)
        #expect(index.newest(a)?.isTombstone == true)
        #expect(index.find(a, at: 2) == nil)
        index.publish(2)
        #expect(index.newest(a) == nil)
    }

    @Test func garbageIsFreedInPortionsByAnyCall() {
        let pinned = index.pinSequence()
        let keys = (0..<3_000).map(bigEndianKey)
        index.put(all: keys, 1, publish: false)
        index.put(all: keys, 2, publish: false)
        index.publish(2)
        #expect(index.statistics.versions > keys.count, "all in one call: the lock was held too long")
        #expect(index.checkInvariants() == nil)
        for sequence in 3...400 as ClosedRange<UInt64> { index.put(a, sequence) }
        index.release(pinned)
        index.put(a, 401)
        #expect(index.statistics.versions == keys.count + 1)
    }

    /// Each write makes more garbage than one publishing call frees.
    @Test func garbageDoesNotAccumulate() {
        let keys = (0..<4_000).map(bigEndianKey)
        for sequence in 1...20 as ClosedRange<UInt64> {
            index.put(all: keys, sequence, publish: false)
            index.publish(sequence)
        }
        #expect(index.statistics.versions <= 2 * keys.count)
    }

    @Test func unchangedRanges() {
        index.put([1], 1)
        index.put([2], 2)
        let base = index.pinSequence()
        let range = KeyRange(lower: .included([1]), upper: .included([5]))
        func isUnchanged() -> Bool { index.isUnchanged(range, since: lastAddress(base), count: 2) }
        #expect(isUnchanged())
        index.put([6], 3)
        #expect(isUnchanged(), "outside of the range")
        index.put([3], 4, publish: false)
        #expect(!isUnchanged(), "a new key, pending")
        index.remove([3], 5)
        index.prune()
        #expect(isUnchanged(), "added and removed")
        index.remove([2], 6)
        #expect(!isUnchanged(), "a removed key")
        index.release(base)
        index.prune()
        #expect(index.newest([2]) == nil)
        #expect(!isUnchanged(), "a removed and pruned key")
        index.put([2], 7)
        #expect(!isUnchanged(), "as many keys as before, but another version")
    }

    @Test func statisticsCountTheNewest() {
        index.apply(sequence: 1, publish: true) { writer in
            writer.add(a, .value(1, length: 104))
            writer.add(b, .value(1, length: 48))
        }
        index.apply(sequence: 2, publish: false) { writer in
            writer.add(a, .value(2, length: 56))
            writer.add(b, .tombstone(2))
        }
        let statistics = index.statistics
        #expect(statistics.keys == 1)
        #expect(statistics.versions == 4)
        #expect(statistics.tombstones == 1)
        #expect(statistics.liveBytes == 56)
        #expect(statistics.readPoints == 0)
    }

    @Test func aKeyIsNotEmptyAndNotTooLong() async {
        await #expect(processExitsWith: .failure) { VersionedIndex().put([], 1) }
        await #expect(processExitsWith: .failure) { VersionedIndex().put(Array(repeating: 0, count: 65_536), 1) }
    }
}
