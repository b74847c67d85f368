import Testing

@testable import Heartwood

/// A log is indexed in parts: the first is loaded into the empty index, later ones are merged into it.
@Suite struct RecordCollectorTests {
    /// From one record a part to all in one part.
    @Test(arguments: [0, 100, 5_000, 100_000, 1 << 30])
    func partsOfAnySizeGiveTheSameIndex(limit: Int) throws {
        var random = SplitMix64(fromEnvironmentFor: "RecordCollectorTests")
        let index = VersionedIndex()
        var collector = RecordCollector(index, limit: limit)
        var newest: [[UInt8]: Version] = [:]
        for sequence in 1...6_000 as ClosedRange<UInt64> {
            var key = bigEndianKey(Int.random(in: 0..<1_500, using: &random))
            if key[7] % 8 == 0 { key += [UInt8](repeating: 5, count: 300) }
            let version: Version =
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1, 2: .tombstone(sequence)
                case 3: .value(sequence, expiry: sequence)
                default: .value(sequence, length: 8 * Int.random(in: 1...511, using: &random))
                }
            newest[key] = version
            key.withUnsafeBytes { collector.add($0, version) }
        }
        collector.finish()
        index.publish(6_000)
        index.prune()
        try #require(index.checkInvariants() == nil, "seed \(random.seed)")
        let expected = newest.filter { !$0.value.isTombstone }
            .map { IndexEntry(key: $0.key, version: $0.value) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        #expect(index.entries(.all, at: 6_000, reversed: false, limit: 100) == expected, "seed \(random.seed)")
        #expect(index.statistics.versions == expected.count && index.statistics.tombstones == 0)
    }

    /// After a part that removes all keys, the next one loads into an empty index again.
    @Test func aPartThatRemovesEverythingIsFollowedByALoad() throws {
        let index = VersionedIndex()
        for round in 0..<3 as Range<UInt64> {
            for isRemoved in [false, true] {
                var run = SortedRun()
                for number in 0..<20_000 {
                    let sequence = round * 40_000 + (isRemoved ? 20_000 : 0) + UInt64(number) + 1
                    bigEndianKey(number).withUnsafeBytes {
                        run.add($0, isRemoved ? .tombstone(sequence) : .value(sequence, expiry: 9))
                    }
                }
                run.sort()
                index.merge(run)
                try #require(index.checkInvariants() == nil)
                #expect(index.statistics.keys == (isRemoved ? 0 : 20_000))
            }
        }
        #expect(index.treeBytes == Node.byteCount)
    }

    @Test func noRecordsGiveAnEmptyIndex() {
        let index = VersionedIndex()
        var collector = RecordCollector(index, limit: 10)
        collector.finish()
        [1, 2].withUnsafeBytes { collector.add($0, .tombstone(1)) }
        collector.finish()
        #expect(index.counts == IndexStatistics() && index.checkInvariants() == nil)
    }
}
