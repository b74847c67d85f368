import Testing

@testable import Heartwood

/// The tree of the index: splits, merges, and released memory.
@Suite struct IndexTreeTests {
    enum Order: CaseIterable {
        case ascending, descending, random

        func arrange(_ count: Int, _ random: inout SplitMix64) -> [Int] {
            switch self {
            case .ascending: Array(0..<count)
            case .descending: (0..<count).reversed()
            case .random: (0..<count).shuffled(using: &random)
            }
        }
    }

    /// Around every size at which a leaf is split or merged, or the tree grows or loses a level.
    @Test(arguments: Order.allCases, Order.allCases)
    func smallTrees(inserting: Order, removing: Order) throws {
        var random = SplitMix64(fromEnvironmentFor: "IndexTreeTests")
        // A slot and a cell of a key of eight bytes: at most 20 bytes, at least 16.
        let capacity = (Node.byteCount - Node.headerBytes) / 20
        for count in [1, 2, capacity - 1, capacity, capacity + 1, capacity * 20 / 16, 2 * capacity, 5 * capacity] {
            let index = VersionedIndex()
            var sequence: UInt64 = 0
            for number in inserting.arrange(count, &random) {
                sequence += 1
                index.put(bigEndianKey(number), sequence)
            }
            try #require(index.checkInvariants() == nil, "seed \(random.seed)")
            try #require(index.keys() == (0..<count).map(bigEndianKey))
            var left = Set(0..<count)
            for number in removing.arrange(count, &random) {
                sequence += 1
                index.remove(bigEndianKey(number), sequence)
                left.remove(number)
                if left.count % 7 == 0 {
                    try #require(index.checkInvariants() == nil, "seed \(random.seed)")
                    try #require(index.keys(reversed: true) == left.sorted(by: >).map(bigEndianKey))
                }
            }
            try #require(index.treeBytes == Node.byteCount)
        }
    }

    /// Three or more levels, so that inner nodes are split, refilled and merged too.
    @Test(arguments: Order.allCases, Order.allCases)
    func tallTreesReleaseTheirMemory(inserting: Order, removing: Order) throws {
        var random = SplitMix64(fromEnvironmentFor: "IndexTreeTests")
        let count = 20_000
        let index = VersionedIndex()
        var sequence: UInt64 = 0
        for numbers in inserting.arrange(count, &random).chunks(of: 500) {
            sequence += 1
            index.put(all: numbers.map(bigEndianKey), sequence)
        }
        #expect(index.checkInvariants() == nil, "seed \(random.seed)")
        #expect(index.statistics.keys == count)
        let full = index.treeBytes
        #expect(full < 18 * count * 2, "nodes are at least half full: \(full)")

        for (part, numbers) in removing.arrange(count, &random).chunks(of: 500).enumerated() {
            sequence += 1
            index.remove(all: numbers.map(bigEndianKey), sequence)
            if part % 8 == 0 { #expect(index.checkInvariants() == nil, "seed \(random.seed)") }
            if part == 35 { #expect(index.treeBytes < full / 4, "nine tenths are removed, but not released") }
        }
        #expect(index.counts == IndexStatistics() && index.treeBytes == Node.byteCount)
    }

    @Test func keysOfAllLengths() throws {
        var random = SplitMix64(fromEnvironmentFor: "IndexTreeTests")
        let index = VersionedIndex()
        // Long keys that differ only in their last bytes make separators of their own length.
        let lengths = [1, 2, 7, 8, 9, 15, 16, 255, 256, 65_534, 65_535]
        var keys: [[UInt8]] = []
        for length in lengths {
            for last in stride(from: 0, through: 255, by: 15) {
                keys.append(Array(repeating: 0x55, count: length - 1) + [UInt8(last)])
            }
        }
        keys = Array(Set(keys))
        index.put(all: keys.shuffled(using: &random), 1)
        #expect(index.checkInvariants() == nil, "seed \(random.seed)")
        let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(index.keys(limit: 10) == sorted)
        #expect(index.keys(reversed: true, limit: 10) == sorted.reversed())
        for key in keys {
            try #require(index.find(key) == .value(1))
            try #require(index.find(key + [0]) == nil)
        }
        index.remove(all: keys.shuffled(using: &random), 2)
        #expect(index.checkInvariants() == nil, "seed \(random.seed)")
        #expect(index.counts == IndexStatistics() && index.treeBytes == Node.byteCount)
    }

    /// Cells of keys outside the node are smaller than the fence that a split adds.
    @Test(arguments: Order.allCases, [1, 250, 255, 256, 300, 1_000])
    func longKeysInOrder(inserting: Order, common: Int) throws {
        var random = SplitMix64(fromEnvironmentFor: "IndexTreeTests")
        let index = VersionedIndex()
        let count = 3_000
        func key(_ number: Int) -> [UInt8] {
            [UInt8](repeating: 0x61, count: common) + bigEndianKey(number) + [UInt8](repeating: 0x62, count: 260)
        }
        for (position, number) in inserting.arrange(count, &random).enumerated() {
            index.put(key(number), UInt64(position + 1))
        }
        try #require(index.checkInvariants() == nil, "seed \(random.seed)")
        #expect(index.keys() == (0..<count).map(key))
        for (position, number) in inserting.arrange(count, &random).enumerated() {
            index.remove(key(number), UInt64(count + position + 1))
            if position % 500 == 0 { try #require(index.checkInvariants() == nil, "seed \(random.seed)") }
        }
        #expect(index.counts == IndexStatistics() && index.treeBytes == Node.byteCount)
    }

    @Test func zerosAtTheEndMakeDifferentKeys() {
        let index = VersionedIndex()
        let keys: [[UInt8]] = (0...9).map { [0x61] + Array(repeating: 0, count: $0) }
        for (number, key) in keys.enumerated() { index.put(key, UInt64(number + 1)) }
        for (number, key) in keys.enumerated() { #expect(index.find(key)?.sequence == UInt64(number + 1)) }
        #expect(index.keys() == keys)
        #expect(index.find([0x61] + Array(repeating: 0, count: 10)) == nil)
        #expect(index.find([]) == nil)
    }

    @Test func pagesInBothDirections() {
        let index = VersionedIndex()
        let numbers = Array(0..<1_000)
        index.put(all: numbers.map { bigEndianKey($0 * 2) }, 1)
        // Cursors that are keys, that lie between keys, and that lie beyond both ends of the range.
        let range = KeyRange(lower: .included(bigEndianKey(100)), upper: .included(bigEndianKey(1_900)))
        for cursor in [0, 99, 100, 101, 777, 778, 1_899, 1_900, 1_901, 5_000] {
            let key = bigEndianKey(cursor)
            let forward = index.collect(range, after: key, at: 1, reversed: false, limit: 5).map(\.key)
            let expected = numbers.map { $0 * 2 }.filter { (100...1_900).contains($0) }
            #expect(forward == expected.filter { $0 > cursor }.prefix(5).map(bigEndianKey))
            let backward = index.collect(range, after: key, at: 1, reversed: true, limit: 5).map(\.key)
            #expect(backward == expected.filter { $0 < cursor }.reversed().prefix(5).map(bigEndianKey))
        }
        #expect(index.collect(.all, after: nil, at: 1, reversed: false, limit: 0).isEmpty)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
