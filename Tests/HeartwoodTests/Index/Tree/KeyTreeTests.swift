import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Splits and merges at every fill, of leaves and of inner nodes.
@Suite struct KeyTreeTests {
    /// An index with the keys of some numbers, and the model of it.
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

    /// One key more at every place of a tree that is just full: each place once, in a tree of its own.
    @Test(arguments: TreeKeys.allCases)
    func aSplitAtEveryPlace(kind: TreeKeys) throws {
        // Odd numbers fill the leaf; even ones come between them.
        var full = 0
        var probe = Subject(kind: kind)
        while probe.levels == 0 {
            full += 1
            probe.put(2 * full + 1)
        }
        for place in 0..<full + 1 {
            var subject = Subject(kind: kind)
            for number in 0..<full - 1 { subject.put(2 * number + 1) }
            try #require(subject.levels == 0)
            // Two at the same place: the second finds the tree split, as a rule.
            subject.put(2 * place)
            try subject.check("\(kind), \(place)")
            if place < full { subject.remove(2 * place) }
            subject.put(4 * full + 2)
            subject.put(2 * place)
            try subject.check("\(kind), \(place)")
        }
    }

    /// Down to nothing from every size, from either end, from the middle, and by turns from both ends.
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

    /// Three levels, up and down again and again, with inner nodes that are split, filled up, merged and lost.
    @Test(arguments: TreeKeys.allCases)
    func innerNodesComeAndGo(kind: TreeKeys) throws {
        var random = SplitMix64(fromEnvironmentFor: "KeyTreeTests")
        let universe = kind == .wide ? 3_000 : 12_000
        var subject = Subject(kind: kind)
        var highest = 0
        for phase in 0..<4 {
            // All over the place, then a stretch after the other.
            let order = phase < 2 ? (0..<universe).shuffled(using: &random) : Array(0..<universe)
            for number in order { subject.put(number) }
            try subject.check("\(kind), \(random.seed)")
            highest = max(highest, subject.levels)
            let removals = phase % 2 == 0 ? order : (0..<universe).shuffled(using: &random)
            for (step, number) in removals.enumerated() where step % 50 != 49 {
                subject.remove(number)
                if step % (universe / 8) == 0 { try subject.check("\(kind), \(random.seed), \(step)") }
            }
            try subject.check("\(kind), \(random.seed)")
            for number in subject.numbers { subject.remove(number) }
            try #require(subject.index.treeBytes == Node.byteCount, "\(kind), \(random.seed)")
        }
        #expect(highest >= (kind == .wide ? 2 : 1))
    }

    /// Separators that lie outside of inner nodes are freed with them, and not twice.
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

    /// What readers go by: a page with a version that it has had before is as it was then, also if it was freed and
    /// used again meanwhile.
    @Test func aVersionStandsForOneState() throws {
        struct Moment: Hashable {
            let page: UInt64
            let version: UInt64
        }
        var random = SplitMix64(fromEnvironmentFor: "KeyTreeTests")
        var subject = Subject(kind: .wide)
        var contents: [Moment: [UInt8]] = [:]
        var pages: Set<UInt64> = []
        func look(_ node: Node) throws {
            let moment = Moment(page: node.word, version: node.version)
            let bytes = [UInt8](UnsafeRawBufferPointer(start: node.base, count: Node.byteCount))
            pages.insert(node.word)
            let before = contents.updateValue(bytes, forKey: moment)
            let isTheSame = before == nil || before == bytes
            try #require(isTheSame, "seed \(random.seed)")
            guard !node.isLeaf else { return }
            for index in 0..<node.count { try look(node.child(index)) }
        }
        for phase in 0..<6 {
            for number in (0..<120).shuffled(using: &random) {
                phase % 2 == 0 ? subject.put(number) : subject.remove(number)
                try subject.index.state.withLock { try look($0.tree.root) }
            }
        }
        let churn = subject.index.churn
        #expect(churn.madeNodes > churn.pages && pages.count == churn.pages, "\(churn)")
    }
}
