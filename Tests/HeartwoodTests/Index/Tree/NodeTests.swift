import Testing

@testable import Heartwood

/// One node at a time, against an array of its keys.
@Suite struct NodeTests {
    /// A node, and an array of the keys in it.
    private final class Subject {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * Node.byteCount, alignment: 64)
        let node: Node
        private(set) var keys: [[UInt8]] = []
        private var longKeys: [LongKey] = []
        private var scratch: UnsafeMutableRawPointer { memory + Node.byteCount }
        private var other: Node { Node(memory + 2 * Node.byteCount) }

        init(lower: [UInt8]? = nil, upper: [UInt8]? = nil, level: Int = 0) {
            memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: 3 * Node.byteCount)
            node = Node(memory)
            Self.clear(node, level, lower, upper)
            Shared.store64(2, node.base)
        }

        deinit {
            for longKey in longKeys { longKey.deallocate() }
            memory.deallocate()
        }

        static func clear(_ node: Node, _ level: Int, _ lower: [UInt8]?, _ upper: [UInt8]?) {
            (lower ?? []).withUnsafeBytes { low in
                (upper ?? []).withUnsafeBytes { high in
                    node.clear(level: level, lower: lower == nil ? nil : low, upper: upper == nil ? nil : high)
                }
            }
        }

        func hasSpace(for key: [UInt8]) -> Bool {
            node.summary.free >= 8 + Node.Cell.bytes(keyLength: key.count - node.prefix)
        }

        func withCell<R>(_ key: [UInt8], _ body: (Node.Cell) -> R) -> R {
            key.withUnsafeBytes { bytes in
                var longKey: LongKey?
                if key.count - node.prefix > Node.inlineLimit {
                    longKey = LongKey(bytes)
                    longKeys.append(longKey!)
                }
                return body(Node.Cell(key: bytes, word: Self.word(of: key), longKey: longKey))
            }
        }

        /// The word of a key in the node.
        static func word(_ key: [UInt8]) -> UInt64 { key.reduce(UInt64(key.count)) { $0 &* 31 &+ UInt64($1) } | 1 }
        static func word(of key: [UInt8]) -> UInt64 { word(key) & ~(1 << 63) }

        func insert(_ key: [UInt8]) {
            let found = search(key)
            precondition(!found.isEqual)
            withCell(key) { node.insert($0, at: found.index, scratch: scratch) }
            keys.insert(key, at: found.index)
        }

        func remove(at index: Int) {
            node.remove(at: index)
            keys.remove(at: index)
        }

        func search(_ key: [UInt8]) -> Node.Found {
            key.withUnsafeBytes { node.search($0, version: node.version) }
        }

        /// Compares all contents of the node with the array.
        func check(_ context: String = "") throws {
            try #require(node.count == keys.count, "\(context)")
            for (index, key) in keys.enumerated() {
                let slot = node.slot(index)
                try #require(node.withKey(slot) { [UInt8]($0) } == key, "\(context)")
                try #require(node.word(index) == Self.word(of: key), "\(context)")
                try #require(search(key).code == index << 1 | 1, "\(context)")
                try #require(search(key + [0]).code == (index + 1) << 1 || keys.contains(key + [0]), "\(context)")
            }
            try #require(keys == keys.sorted { $0.lexicographicallyPrecedes($1) }, "\(context)")
            let cells = (0..<node.count).reduce(0) { $0 + 8 + node.slot($1).cellBytes }
            let fences = (node.lowerFence?.count ?? 0) + (node.upperFence?.count ?? 0)
            try #require(node.usedBytes == cells + fences, "\(context)")
        }

        /// A copy of some slots in a node with other fences.
        func copy(_ range: Range<Int>, lower: [UInt8]?, upper: [UInt8]?) -> (node: Node, isWhole: Bool) {
            Self.clear(other, node.level, lower, upper)
            return (other, other.append(range, of: node, home: nil))
        }
    }

    /// At the limit between inline and external keys, with prefixes of several lengths.
    @Test(arguments: [0, 1, 4, 254, 255])
    func theLimitOfInlineKeys(prefix: Int) throws {
        let common = [UInt8](repeating: 0x50, count: prefix)
        let subject = Subject(lower: common + [0], upper: common + [0xFF])
        #expect(subject.node.prefix == prefix)
        for rest in [1, 2, 3, 4, 5, 255, 256, 257] {
            let key = common + [UInt8](repeating: 7, count: rest)
            subject.insert(key)
            try subject.check("\(rest)")
            #expect(subject.node.slot(subject.keys.count - 1).isExternal == (rest > 256))
        }
        try subject.check()
    }

    @Test func fencesAreShortenedAndEmptyNodesHaveThem() throws {
        let long = [UInt8](repeating: 1, count: 300)
        for (lower, upper, prefix) in [
            (nil, nil, 0), (long, nil, 0), (nil, long, 0), (long, long + [1], 255), ([1], long, 1), ([1], [2], 0),
            ([1, 2, 3], [1, 2, 4], 2),
        ] as [([UInt8]?, [UInt8]?, Int)] {
            let subject = Subject(lower: lower, upper: upper)
            let node = subject.node
            #expect(node.lowerFence.map { [UInt8]($0) } == lower.map { Array($0.prefix(255)) })
            #expect(node.upperFence.map { [UInt8]($0) } == upper.map { Array($0.prefix(255)) })
            #expect(node.prefix == prefix && node.count == 0)
            try subject.check()
        }
    }

    /// Random insertions and removals up to the last byte, with heaps that must be compacted.
    @Test(arguments: [4, 20, 200, 600])
    func insertionsAndRemovalsToTheLastByte(longest: Int) throws {
        var random = SplitMix64(fromEnvironmentFor: "NodeTests")
        let subject = Subject(lower: [1, 2, 3, 0], upper: [1, 2, 3, 0xFF])
        var refusals = 0
        var compacted = 0
        for step in 0..<3_000 {
            let rest = (0..<Int.random(in: 1...longest, using: &random)).map { _ in
                UInt8.random(in: 0...3, using: &random)
            }
            let key: [UInt8] = [1, 2, 3] + rest
            if Int.random(in: 0..<100, using: &random) < (step / 500 % 2 == 0 ? 30 : 70), !subject.keys.isEmpty {
                subject.remove(at: Int.random(in: 0..<subject.keys.count, using: &random))
            } else if !subject.search(key).isEqual {
                guard subject.hasSpace(for: key) else {
                    refusals += 1
                    continue
                }
                if subject.node.summary.gap < 8 + Node.Cell.bytes(keyLength: rest.count) { compacted += 1 }
                subject.insert(key)
            }
            if step % 20 == 0 { try subject.check("seed \(random.seed), step \(step)") }
        }
        try subject.check("seed \(random.seed)")
        #expect(longest < 200 || (refusals > 0 && compacted > 0), "seed \(random.seed)")
    }

    /// The same slots with fences that share less, the same, and more.
    @Test func slotsAreCopiedToANodeWithAnotherPrefix() throws {
        let common = [UInt8](repeating: 6, count: 20)
        let subject = Subject(lower: common + [0], upper: common + [0xFF])
        for rest in [1, 3, 4, 5, 9, 200, 256, 257, 900] {
            subject.insert(common + [1] + [UInt8](repeating: 2, count: rest - 1))
        }
        let all = 0..<subject.keys.count
        for (lower, upper) in [
            (nil, nil), ([6], [6, 7]), (common + [0], common + [0xFF]), (common + [1], common + [1, 0xFF]),
        ] as [([UInt8]?, [UInt8]?)] {
            let (copy, isWhole) = subject.copy(all, lower: lower, upper: upper)
            try #require(isWhole && copy.count == all.count)
            for (index, key) in subject.keys.enumerated() {
                #expect(copy.withKey(copy.slot(index)) { [UInt8]($0) } == key)
                #expect(copy.word(index) == subject.node.word(index))
                // A key stays inline or external, as it was inserted.
                #expect(copy.slot(index).isExternal == (key.count > 20 + Node.inlineLimit))
                #expect(key.withUnsafeBytes { copy.search($0, version: copy.version) }.code == index << 1 | 1)
            }
        }
    }

    /// A shorter prefix makes every cell larger: the slots of a full node don't fit then.
    @Test func slotsThatDoNotFitWithAShorterPrefix() throws {
        let common = [UInt8](repeating: 6, count: 100)
        let subject = Subject(lower: common + [0], upper: common + [0xFF])
        var number = 0
        while subject.hasSpace(for: common + bigEndianKey(number)) {
            subject.insert(common + bigEndianKey(number))
            number += 1
        }
        #expect(subject.copy(0..<number, lower: common + [0], upper: common + [0xFF]).isWhole)
        #expect(!subject.copy(0..<number, lower: nil, upper: nil).isWhole)
        #expect(subject.copy(0..<30, lower: nil, upper: nil).isWhole)
    }

    /// The first slot of an inner node has no key: it sorts before all others.
    @Test func innerNodesBeginWithTheLowestKey() throws {
        let subject = Subject(lower: [5, 5], upper: [5, 6], level: 3)
        #expect(subject.node.append(Node.Cell(key: Node.lowest, word: 2, longKey: nil)))
        for key in [[5, 5, 0], [5, 5, 0, 0, 0, 0], [5, 5, 1]] as [[UInt8]] {
            #expect(subject.withCell(key) { subject.node.append($0) })
        }
        func child(_ key: [UInt8]) -> Int? {
            key.withUnsafeBytes { subject.node.childIndex($0, version: subject.node.version) }
        }
        #expect(child([5, 5]) == 0)
        #expect(child([5, 5, 0]) == 1)
        #expect(child([5, 5, 0, 0]) == 1)
        #expect(child([5, 5, 0, 0, 0, 0]) == 2)
        #expect(child([5, 5, 0, 0xFF]) == 2)
        #expect(child([5, 5, 0xFF]) == 3)
        #expect(subject.node.level == 3 && !subject.node.isLeaf)
    }

    /// A reader stays within the node, whatever bytes are in it.
    @Test func noiseIsReadWithoutLeavingTheNode() {
        var random = SplitMix64(fromEnvironmentFor: "NodeTests")
        let subject = Subject()
        let key = [UInt8](repeating: 0x11, count: 400)
        for _ in 0..<20_000 {
            for offset in stride(from: 8, to: 200, by: 8) {
                // Not external: a reader follows no address before it has verified the version.
                let bits = random.next() & ~(1 << 28)
                let slot = offset < 64 ? bits : bits & 0xFFFF_FFFF | 0x1111_1111 << 32
                Shared.store64(slot, subject.node.base + offset)
            }
            let count = Int.random(in: 0...Node.maximumCount + 2, using: &random)
            Shared.store16(UInt16(count), subject.node.base + 8)
            Shared.store16(UInt16.random(in: 0...4, using: &random), subject.node.base + 10)
            let found = key.withUnsafeBytes { subject.node.search($0, version: 2) }
            #expect(found.isTorn || found.index <= Node.maximumCount)
            if found.isEqual { _ = subject.node.checkedWord(found.index) }
            if let fence = subject.node.lowerFence { #expect(fence.count <= Node.byteCount) }
        }
    }
}
