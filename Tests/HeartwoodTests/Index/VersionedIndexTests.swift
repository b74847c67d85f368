import Testing

@testable import Heartwood

/// What readers see, and what is kept for them.
@Suite struct VersionedIndexTests {
    let index = VersionedIndex()
    let a: [UInt8] = [0x61]
    let b: [UInt8] = [0x62]

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

    @Test func anOlderVersionIsIgnored() {
        index.put(a, 5)
        index.apply(sequence: 6, publish: true) { writer in writer.add(a, .value(4)) }
        #expect(index.newest(a)?.sequence == 5)
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

    @Test func aKeyIsNotEmptyAndNotTooLong() async {
        await #expect(processExitsWith: .failure) { VersionedIndex().put([], 1) }
        await #expect(processExitsWith: .failure) { VersionedIndex().put(Array(repeating: 0, count: 65_536), 1) }
    }
}
