import Testing

@testable import Heartwood

/// Trees that are built from sorted keys, in every size at which their shape changes, and later changes to them.
@Suite struct TreeLoaderTests {
    private func load(_ entries: TreeEntries) throws -> VersionedIndex {
        let index = VersionedIndex()
        index.load(entries)
        index.publish(UInt64(entries.count))
        try #require(index.checkInvariants() == nil, "\(entries.count)")
        return index
    }

    /// Small keys: up to three leaves. Wide keys: up to a full root, and a second level of inner nodes.
    @Test(arguments: [
        (TreeKeys.numbers, 0...620), (.wide, 0...60), (.wide, 150...330), (.long, 0...420), (.nested, 0...400),
    ])
    func everyCount(keys: TreeKeys, counts: ClosedRange<Int>) throws {
        for count in counts {
            let entries = TreeEntries(keys, count)
            let index = try load(entries)
            try #require(index.keys() == entries.keys, "\(count)")
            try #require(index.statistics.keys == count, "\(count)")
            for (number, key) in entries.keys.enumerated() where number % 37 == 0 || number > count - 3 {
                try #require(index.find(key) == entries.version(number), "\(count)")
            }
        }
    }

    /// Around the counts at which an inner node is full and another level is needed.
    @Test(arguments: [2_100...2_300, 2_900...2_930])
    func deeperTrees(counts: ClosedRange<Int>) throws {
        for count in stride(from: counts.lowerBound, through: counts.upperBound, by: 7) {
            let entries = TreeEntries(.wide, count)
            try #require(try load(entries).keys(reversed: true) == entries.keys.reversed(), "\(count)")
        }
    }

    /// Leaves are nine tenths full, so that later insertions split few of them.
    @Test func leavesAreNearlyFull() throws {
        let index = try load(TreeEntries(.numbers, 100_000, expiring: .max))
        let bytesEach = Double(index.treeBytes) / 100_000
        // Slot, word, and the bytes of the key that are neither in the slot's head nor in the prefix.
        #expect((17...22).contains(bytesEach), "\(bytesEach)")
    }

    /// A loaded tree accepts further keys and removals like any other.
    @Test(arguments: TreeKeys.allCases, [1, 13, 170, 600, 2_500])
    func insertionsAndRemovalsAfterwards(keys: TreeKeys, count: Int) throws {
        var random = SplitMix64(fromEnvironmentFor: "TreeLoaderTests")
        let all = TreeEntries(keys, 2 * count).keys
        // Every other key is loaded.
        let index = try load(TreeEntries(keys: stride(from: 0, to: all.count, by: 2).map { all[$0] }, expiring: 3))
        var sequence = UInt64(count)
        for number in stride(from: 1, to: all.count, by: 2).shuffled(using: &random) {
            sequence += 1
            index.put(all[number], sequence)
        }
        try #require(index.checkInvariants() == nil, "seed \(random.seed)")
        try #require(index.keys() == all, "seed \(random.seed)")
        for (step, number) in all.indices.shuffled(using: &random).enumerated() {
            sequence += 1
            index.remove(all[number], sequence)
            if step % (count / 4 + 1) == 0 { try #require(index.checkInvariants() == nil, "seed \(random.seed)") }
        }
        #expect(index.counts == IndexStatistics() && index.treeBytes == Node.byteCount, "seed \(random.seed)")
    }
}
