import HeartwoodConcurrency
import Testing

@testable import Heartwood

/// Overwritten versions are found as long as a reader may need them, and freed afterwards.
@Suite struct UndoLogTests {
    private let a: [UInt8] = [0x61]
    private let b: [UInt8] = [0x62]
    private let index = VersionedIndex(undoCapacity: 2)

    /// Old versions that have a block.
    private var blocks: Int { index.state.withLock { $0.oldVersions } }
    private var chunks: Int { index.state.withLock { $0.undo.reader.directory?.chunks.count ?? 0 } }

    @Test func aPendingOverwriteNeedsNoBlock() {
        index.put(a, 1)
        for sequence in 2...9 as ClosedRange<UInt64> { index.put(a, sequence, publish: false) }
        #expect(blocks == 0 && chunks == 4 && index.statistics.versions == 9)
        for sequence in 1...9 as ClosedRange<UInt64> { #expect(index.find(a, at: sequence)?.sequence == sequence) }
        #expect(index.find(a, at: 0) == nil)
        index.publish(6)
        #expect(index.find(a)?.sequence == 6 && chunks == 2 && index.statistics.versions == 4)
        index.publish(9)
        // The chunk that is being filled stays.
        #expect(index.find(a)?.sequence == 9 && chunks == 1 && index.statistics.versions == 1)
        #expect(index.checkInvariants() == nil)
    }

    /// A read pin that is taken while overwrites are pending keeps what it sees, and no more, until it is released.
    @Test func aPinKeepsTheChunksThatItNeeds() {
        index.put(a, 1)
        for sequence in 2...5 as ClosedRange<UInt64> { index.put(a, sequence, publish: false) }
        let pinned = index.pinSequence()
        #expect(pinned == 1)
        index.publish(5)
        for sequence in 6...40 as ClosedRange<UInt64> {
            index.put(b, sequence, publish: false)
            index.publish(sequence - 1)
        }
        index.publish(40)
        index.prune()
        #expect(index.find(a, at: pinned)?.sequence == 1 && index.find(a)?.sequence == 5)
        #expect(chunks < 6, "later versions aren't kept for the pin")
        #expect(index.checkInvariants() == nil)
        index.release(pinned)
        index.prune()
        #expect(chunks == 1 && index.statistics.versions == 2)
        #expect(index.checkInvariants() == nil)
    }

    /// A pin reads an overwritten version through the undo log. When the key is written again, by writes of every kind,
    /// the old versions must move to blocks.
    @Test(arguments: 0..<6)
    func whatAPinSeesInTheUndoLogSurvivesTheNextWrite(kind: Int) {
        index.put(a, 1)
        index.put(a, 2, publish: false)
        index.put(a, 3, publish: false)
        let pinned = index.pinSequence()
        if kind < 3 { index.publish(3) }
        let publish = kind < 3
        switch kind % 3 {
        case 0: index.put(a, 4, publish: publish)
        case 1: index.remove(a, 4, publish: publish)
        default: index.apply(sequence: 4, publish: publish) { $0.add(a, .value(4, expiry: 1_000)) }
        }
        #expect(blocks > 0)
        #expect(index.find(a, at: pinned)?.sequence == 1)
        if !publish { #expect(index.find(a, at: 2)?.sequence == 2 && index.find(a, at: 3)?.sequence == 3) }
        #expect(index.checkInvariants() == nil)
        index.publish(4)
        #expect(index.find(a, at: pinned)?.sequence == 1)
        index.release(pinned)
        index.prune()
        #expect(blocks == 0 && index.checkInvariants() == nil)
        #expect(index.statistics.versions == (kind % 3 == 1 ? 0 : 1))
    }

    /// Without a pin too, the removal of a pending version must leave the visible version readable.
    @Test func aPendingRemovalOfAPendingOverwrite() {
        index.put(a, 1)
        index.put(a, 2, publish: false)
        index.remove(a, 3, publish: false)
        #expect(index.find(a)?.sequence == 1 && index.find(a, at: 2)?.sequence == 2 && index.find(a, at: 3) == nil)
        index.publish(2)
        #expect(index.find(a)?.sequence == 2)
        index.publish(3)
        #expect(index.find(a) == nil && index.statistics.versions == 0 && index.checkInvariants() == nil)
    }

    /// A reader that has found a pending version when its chunk is dropped looks again, and sees what is visible now.
    @Test func aReaderWhoseChunkIsDroppedLooksAgain() {
        index.put(a, 1)
        index.put(a, 2, publish: false)
        let (version, looks) = index.find(a) { word in
            for sequence in 3...8 as ClosedRange<UInt64> { index.put(b, sequence, publish: false) }
            index.publish(8)
            #expect(index.undo.overwritten(by: word.newestAddress) == nil, "not dropped: nothing is tested")
        }
        #expect(version?.sequence == 2 && looks == 2)
    }

    /// A reader may have the address of a dropped chunk: while it is pinned, the memory isn't reused.
    @Test func aChunkIsNotUsedAgainWhileAReaderHasIt() throws {
        index.put(a, 1)
        index.put(a, 2, publish: false)
        index.put(a, 3, publish: false)
        let pin = index.epochs.pin()
        defer { index.epochs.unpin(pin) }
        let address: UInt64 = 2 << 16
        let chunk = try #require(index.undo.directory?.chunk(of: address))
        index.put(b, 4)
        for sequence in 5...2_000 as ClosedRange<UInt64> {
            index.put(b, sequence, publish: false)
            index.publish(sequence)
        }
        #expect(index.undo.overwritten(by: address) == nil, "not dropped: nothing is tested")
        #expect(chunk.overwritten(by: address)?.address == 1 << 16)
    }

    /// Many pending overwrites while a pin stays don't take unbounded memory.
    @Test func memoryStaysBoundedUnderALongPin() {
        let index = VersionedIndex()
        let keys = (0..<64).map(bigEndianKey)
        for (number, key) in keys.enumerated() { index.put(key, UInt64(number + 1)) }
        let pinned = index.pinSequence()
        var bytes = 0
        for sequence in 65...100_000 as ClosedRange<UInt64> {
            index.put(keys[Int(sequence) % keys.count], sequence, publish: false)
            if sequence % 10 == 0 { index.publish(sequence - 5) }
            if sequence == 2_000 { bytes = index.statistics.bytes }
        }
        index.prune()
        #expect(index.statistics.bytes <= 2 * bytes + 256 * 4_096, "\(bytes), then \(index.statistics.bytes)")
        for (number, key) in keys.enumerated() { #expect(index.find(key, at: pinned)?.sequence == UInt64(number + 1)) }
        index.release(pinned)
    }
}

/// A preparation names the leaf position of a key, and is ignored after a change there.
@Suite struct WritePreparationTests {
    /// Between preparation and write, other keys are added and removed and leaves are split: the key still ends up in
    /// its right position.
    @Test(arguments: 0..<4)
    func aRefinedPreparationThatIsOutOfDate(change: Int) {
        for count in [2, 60, 150, 1_000] {
            let index = VersionedIndex()
            for number in 0..<count { index.put(bigEndianKey(2 * number), UInt64(number + 1)) }
            let sequence = UInt64(count + 1)
            for target in stride(from: 0, to: 2 * count, by: max(1, count / 20)) {
                let key = bigEndianKey(target)
                var preparation = key.withUnsafeBytes { index.preparer.prepare($0) }
                key.withUnsafeBytes { preparation.refine($0) }
                switch change {
                case 0: break
                case 1: index.put(bigEndianKey(max(0, target - 1)), sequence)
                case 2: index.remove(bigEndianKey(max(0, target - 2)), sequence)
                default: for other in 0..<40 { index.put(bigEndianKey(target) + [UInt8(other)], sequence) }
                }
                index.apply(
                    sequence: sequence + 1, addresses: (sequence + 1) << 16...lastAddress(sequence + 1), count: 1,
                    publish: true
                ) { writer in
                    let version = Version(
                        location: RecordLocation(address: (sequence + 1) << 16 | UInt64(target), length: 16))
                    key.withUnsafeBytes { writer.add(key: $0, version: version, preparation) }
                }
                #expect(index.find(key)?.sequence == sequence + 1)
                #expect(index.checkInvariants() == nil, "\(count) keys, \(target)")
            }
        }
    }
}
