import HeartwoodConcurrency
import Testing

@testable import Heartwood

/// Splits and merges of leaves and inner nodes, at every number of keys, and released memory.
@Suite struct KeyTreeTests {
    /// An index with the keys of some numbers, and its model.
    private struct Subject {
        let kind: TreeKeys
        let index = VersionedIndex()
        var sequence: UInt64 = 0
        var numbers: Set<Int> = []

        mutating func put(_ number: Int) {
            sequence += 1
            index.put(kind.key(number), sequence)
            numbers.insert(number)
        }

        mutating func remove(_ number: Int) {
            sequence += 1
            index.remove(kind.key(number), sequence)
            numbers.remove(number)
        }

        func check(_ context: @autoclosure () -> String = "") throws {
            let fault = index.checkInvariants()
            try #require(fault == nil, "\(context()): \(fault ?? "")")
            try #require(index.keys() == numbers.sorted().map(kind.key), "\(context())")
        }

        var levels: Int { index.state.withLock { $0.tree.root.level } }
    }

    /// One more key in a full tree, at every position, each in a tree of its own.
    @Test(arguments: TreeKeys.allCases)
    func aSplitAtEveryPosition(kind: TreeKeys) throws {
        // Odd numbers fill the leaf; even ones go between them.
        var full = 0
        var probe = Subject(kind: kind)
        while probe.levels == 0 {
            full += 1
            probe.put(2 * full + 1)
        }
        for position in 0..<full + 1 {
            var subject = Subject(kind: kind)
            for number in 0..<full - 1 { subject.put(2 * number + 1) }
            try #require(subject.levels == 0)
            // Two at the same position: the second usually finds the tree split.
            subject.put(2 * position)
            try subject.check("\(kind), \(position)")
            if position < full { subject.remove(2 * position) }
            subject.put(4 * full + 2)
            subject.put(2 * position)
            try subject.check("\(kind), \(position)")
        }
    }

    /// Removes all keys: from either end, from the middle, and from both ends in turn.
    @Test(arguments: TreeKeys.allCases)
    func mergesFromEverySide(kind: TreeKeys) throws {
        let count = kind == .wide ? 400 : 700
        let orders: [(String, [Int])] = [
            ("ascending", Array(0..<count)), ("descending", (0..<count).reversed()),
            ("from both ends", (0..<count).map { $0 % 2 == 0 ? $0 / 2 : count - 1 - $0 / 2 }),
            ("from the middle", (0..<count).map { (count / 2 + ($0 % 2 == 0 ? $0 / 2 : -1 - $0 / 2) + count) % count }),
        ]
        for (name, order) in orders {
            var subject = Subject(kind: kind)
            for number in 0..<count { subject.put(number) }
            try subject.check(name)
            for (step, number) in order.enumerated() {
                subject.remove(number)
                if step % 9 == 0 { try subject.check("\(kind), \(name), \(step)") }
            }
            try #require(subject.index.treeBytes == Node.byteCount, "\(kind), \(name)")
        }
    }

    /// Up to three levels and down again, several times: inner nodes are split, refilled, merged and removed.
    @Test(arguments: TreeKeys.allCases)
    func innerNodesAreAddedAndRemoved(kind: TreeKeys) throws {
        var random = SplitMix64(fromEnvironmentFor: "KeyTreeTests")
        let universe = kind == .wide ? 3_000 : 12_000
        var subject = Subject(kind: kind)
        var highest = 0
        for phase in 0..<4 {
            // In random order, then in ascending order.
            let order = phase < 2 ? (0..<universe).shuffled(using: &random) : Array(0..<universe)
            for number in order { subject.put(number) }
            try subject.check("\(kind), \(random.seed)")
            highest = max(highest, subject.levels)
            let full = subject.index.treeBytes
            let removals = phase % 2 == 0 ? order : (0..<universe).shuffled(using: &random)
            for (step, number) in removals.enumerated() where step % 50 != 49 {
                subject.remove(number)
                if step % (universe / 8) == 0 { try subject.check("\(kind), \(random.seed), \(step)") }
            }
            try subject.check("\(kind), \(random.seed)")
            #expect(subject.index.treeBytes < full / 4, "all but two percent are removed, but not released")
            for number in subject.numbers { subject.remove(number) }
            try #require(subject.index.treeBytes == Node.byteCount, "\(kind), \(random.seed)")
        }
        #expect(highest >= (kind == .wide ? 2 : 1))
    }

    /// Separators outside of inner nodes are freed with them, exactly once.
    @Test func longSeparators() throws {
        var subject = Subject(kind: .long)
        for number in 0..<40_000 { subject.put(number) }
        try subject.check()
        #expect(subject.levels == 2, "inner nodes of long separators were split")
        let bytes = subject.index.state.withLock { $0.tree.longKeyBytes }
        #expect(bytes > 40_000 * 276)
        for number in 0..<40_000 where number % 100 != 0 { subject.remove(number) }
        try subject.check()
        for number in stride(from: 0, to: 40_000, by: 100) { subject.remove(number) }
        try subject.check()
        #expect(subject.index.state.withLock { $0.tree.longKeyBytes } == 0)
    }

    @Test func keysOfAllLengths() throws {
        var random = SplitMix64(fromEnvironmentFor: "KeyTreeTests")
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
    @Test(arguments: 0..<3, [1, 250, 255, 256, 300, 1_000])
    func longKeysInOrder(order: Int, common: Int) throws {
        var random = SplitMix64(fromEnvironmentFor: "KeyTreeTests")
        let index = VersionedIndex()
        let count = 3_000
        let numbers = [Array(0..<count), (0..<count).reversed(), (0..<count).shuffled(using: &random)][order]
        func key(_ number: Int) -> [UInt8] {
            [UInt8](repeating: 0x61, count: common) + bigEndianKey(number) + [UInt8](repeating: 0x62, count: 260)
        }
        for (position, number) in numbers.enumerated() {
            index.put(key(number), UInt64(position + 1))
        }
        try #require(index.checkInvariants() == nil, "seed \(random.seed)")
        #expect(index.keys() == (0..<count).map(key))
        for (position, number) in numbers.enumerated() {
            index.remove(key(number), UInt64(count + position + 1))
            if position % 500 == 0 { try #require(index.checkInvariants() == nil, "seed \(random.seed)") }
        }
        #expect(index.counts == IndexStatistics() && index.treeBytes == Node.byteCount)
    }

    /// Readers rely on this: a page with an earlier version has the earlier contents, even if it was freed and reused
    /// in between.
    @Test func aVersionStandsForOneState() throws {
        struct State: Hashable {
            let page: UInt64
            let version: UInt64
        }
        var random = SplitMix64(fromEnvironmentFor: "KeyTreeTests")
        var subject = Subject(kind: .wide)
        var contents: [State: [UInt8]] = [:]
        var pages: Set<UInt64> = []
        func record(_ node: Node) throws {
            let state = State(page: node.word, version: node.version)
            let bytes = [UInt8](UnsafeRawBufferPointer(start: node.base, count: Node.byteCount))
            pages.insert(node.word)
            let before = contents.updateValue(bytes, forKey: state)
            let isTheSame = before == nil || before == bytes
            try #require(isTheSame, "seed \(random.seed)")
            guard !node.isLeaf else { return }
            for index in 0..<node.count { try record(node.child(index)) }
        }
        for phase in 0..<6 {
            for number in (0..<120).shuffled(using: &random) {
                phase % 2 == 0 ? subject.put(number) : subject.remove(number)
                try subject.index.state.withLock { try record($0.tree.root) }
            }
        }
        let churn = subject.index.churn
        #expect(churn.madeNodes > churn.pages && pages.count == churn.pages, "\(churn)")
    }
}
