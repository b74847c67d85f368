import Testing

@testable import Heartwood

/// The index compared with the model, in random and in all short histories.
@Suite struct IndexModelTests {
    enum Keys: CaseIterable {
        /// 1 to 5 bytes out of four values, including 0 and 255: prefixes of each other, and zeros at their ends.
        case short
        /// The same after nine equal bytes, so that the heads are equal.
        case samePrefix
        /// So few keys that chains of versions grow.
        case few

        func random(_ random: inout SplitMix64) -> [UInt8] {
            let alphabet: [UInt8] = [0, 0x61, 0x62, 0xFF]
            let tail = (0..<Int.random(in: 1...5, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            return switch self {
            case .short: tail
            case .samePrefix: Array("the same:".utf8) + tail
            case .few: Array(tail.prefix(1))
            }
        }
    }

    @Test(arguments: Keys.allCases, [1, 3, UndoChunk.largestCapacity])
    func answersLikeTheModel(keys: Keys, undoCapacity: Int) throws {
        let random = SplitMix64(fromEnvironmentFor: "IndexModelTests \(keys) \(undoCapacity)")
        var run = ModelRun(keys: keys, undoCapacity: undoCapacity, random: random)
        for phase in 0..<6 {
            // Grows and shrinks in turn, so that nodes are split and merged, and memory is reused.
            for step in 0..<500 {
                try run.step(removing: phase % 2 == 0 ? 0.1 : 0.8)
                if step % 50 == 0 { try run.checkState() }
            }
            try run.checkPruned()
        }
        try run.finish()
    }

    /// Every sequence of up to five of the eight steps, and of six of the first six steps.
    @Test(arguments: [(kinds: 8, length: 5, undoCapacity: 1), (8, 5, 2), (6, 6, 1)])
    func everyShortHistory(kinds: Int, length: Int, undoCapacity: Int) throws {
        for length in 1...length {
            var steps = Array(repeating: 0, count: length)
            repeat {
                try check(history: steps, undoCapacity: undoCapacity)
            } while next(&steps, of: kinds)
        }
    }

    private func next(_ steps: inout [Int], of kinds: Int) -> Bool {
        for index in steps.indices {
            steps[index] += 1
            if steps[index] < kinds { return true }
            steps[index] = 0
        }
        return false
    }

    private func check(history: [Int], undoCapacity: Int) throws {
        let index = VersionedIndex(undoCapacity: undoCapacity)
        var model = IndexModel()
        let keys: [[UInt8]] = [[0x61], [0x61, 0]]
        for step in history {
            switch step {
            case 0, 1, 2:
                model.last += 1
                let version: Version = step == 2 ? .tombstone(model.last) : .value(model.last)
                index.apply(sequence: model.last, publish: false) { $0.add(keys[step % 2], version) }
                model.add(keys[step % 2], version)
            case 3:
                model.visible = model.last
                index.publish(model.last)
            case 4:
                model.pins.append(index.pinSequence())
            case 5:
                if !model.pins.isEmpty { index.release(model.pins.removeFirst()) }
            default:
                // Step 6 is visible at once; step 7 publishes only the writes before it.
                let isVisible = step == 6
                model.last += 1
                index.apply(sequence: model.last, publish: isVisible) { $0.add(keys[0], .value(model.last)) }
                model.add(keys[0], .value(model.last))
                if !isVisible { index.publish(model.last - 1) }
                model.visible = isVisible ? model.last : max(model.visible, model.last - 1)
            }
        }
        try #require(index.checkInvariants() == nil, "\(history)")
        try #require(model.accounts(for: index.statistics), "\(history)")
        for sequence in model.pins + Array(model.visible...model.last) {
            for key in keys {
                try #require(
                    index.find(key, at: sequence) == model.find(key, at: sequence), "\(history) at \(sequence)")
            }
        }

        for pin in model.pins { index.release(pin) }
        index.publish(model.last)
        index.prune()
        let live = keys.filter { model.find($0, at: model.last) != nil }.count
        let end = index.statistics
        try #require(end.versions == live && end.tombstones == 0 && end.keys == live, "\(history)")
    }
}

/// One run of random steps, with an index and a model that must agree.
private struct ModelRun {
    let keys: IndexModelTests.Keys
    var random: SplitMix64
    let index: VersionedIndex
    var model = IndexModel()

    init(keys: IndexModelTests.Keys, undoCapacity: Int, random: SplitMix64) {
        self.keys = keys
        self.random = random
        index = VersionedIndex(undoCapacity: undoCapacity)
    }

    mutating func step(removing: Double) throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<12: write(removing: removing)
        case 12..<14: publish()
        case 14..<16: pin()
        case 16..<18: release()
        case 18: try readKeys()
        default: try readRange()
        }
    }

    private mutating func write(removing: Double) {
        model.last += UInt64.random(in: 1...3, using: &random)
        let sequence = model.last
        let isAlone = Bool.random(using: &random)
        let changes = (0..<(isAlone ? 1 : Int.random(in: 2...12, using: &random))).map { _ in
            let isTombstone = Double.random(in: 0..<1, using: &random) < removing
            let length = 8 * Int.random(in: 1...511, using: &random)
            let expiry: UInt64 = Int.random(in: 0..<10, using: &random) == 0 ? 1_000 : 0
            return (
                keys.random(&random),
                isTombstone ? Version.tombstone(sequence) : .value(sequence, length: length, expiry: expiry)
            )
        }
        let publish = Int.random(in: 0..<4, using: &random) == 0
        index.apply(sequence: sequence, publish: publish) { writer in
            for (key, version) in changes { writer.add(key, version) }
        }
        for (key, version) in changes { model.add(key, version) }
        if publish { model.visible = sequence }
    }

    private mutating func publish() {
        model.visible = UInt64.random(in: model.visible...model.last, using: &random)
        index.publish(model.visible)
    }

    private mutating func pin() {
        guard model.pins.count < 8 else { return }
        let isNewest = Bool.random(using: &random)
        model.pins.append(index.pinSequence(newest: isNewest))
        #expect(model.pins.last == (isNewest ? model.last : model.visible))
    }

    private mutating func release() {
        guard let which = model.pins.indices.randomElement(using: &random) else { return }
        index.release(model.pins.remove(at: which))
    }

    /// A random sequence at which a reader may read.
    private mutating func readableSequence() -> UInt64 {
        (model.pins + [model.visible, model.last]).randomElement(using: &random)!
    }

    private mutating func readKeys() throws {
        for _ in 0..<10 {
            let key = keys.random(&random)
            let sequence = readableSequence()
            try #require(index.find(key) == model.find(key, at: model.visible), "\(description)")
            try #require(index.find(key, at: sequence) == model.find(key, at: sequence), "\(description)")
            let newest = index.newest(key)
            let isPruned = newest == nil && model.newest(key)?.isTombstone == true
            try #require(newest == model.newest(key) || isPruned, "\(description)")
        }
    }

    private mutating func randomRange() -> KeyRange {
        func bound(_ random: inout SplitMix64) -> KeyBound {
            [.unbounded, .included(keys.random(&random)), .excluded(keys.random(&random))]
                .randomElement(using: &random)!
        }
        let prefix = keys.random(&random)
        return Bool.random(using: &random)
            ? .prefix(Array(prefix.dropLast(Int.random(in: 0...prefix.count, using: &random))))
            : KeyRange(lower: bound(&random), upper: bound(&random))
    }

    private mutating func readRange() throws {
        let range = randomRange()
        let sequence = readableSequence()
        let reversed = Bool.random(using: &random)
        let expected = model.entries(range, at: sequence)
        let limit = Int.random(in: 1...100, using: &random)
        let entries = index.entries(range, at: sequence, reversed: reversed, limit: limit)
        try #require(entries == (reversed ? expected.reversed() : expected), "\(range) \(description)")
        try #require(index.count(in: range, at: sequence) == expected.count, "\(range) \(description)")

        let isUnchanged = index.isUnchanged(range, since: lastAddress(sequence), count: expected.count)
        if isUnchanged {
            try #require(model.entries(range, at: model.last) == expected, "\(range) \(description)")
        } else {
            try #require(model.hasVersion(in: range, newerThan: sequence), "\(range) \(description)")
        }
    }

    func checkState() throws {
        try #require(index.checkInvariants() == nil, "\(description)")
        try #require(index.visibleSequence == model.visible, "\(description)")
        let statistics = index.statistics
        let live = model.entries(.all, at: model.last)
        try #require(statistics.keys == live.count, "\(description)")
        let liveBytes = live.reduce(0) { $0 + UInt64($1.version.location.lengthBound) }
        try #require(statistics.liveBytes == liveBytes, "\(description)")
        try #require(statistics.readPoints == Set(model.pins).count, "\(description)")
    }

    /// Every version that a reader can see is kept, and no other.
    func checkPruned() throws {
        index.prune()
        try checkState()
        try #require(model.accounts(for: index.statistics), "\(description)")
        for sequence in model.pins + [model.visible, model.last] {
            let entries = index.entries(.all, at: sequence, reversed: false, limit: 100)
            try #require(entries == model.entries(.all, at: sequence), "at \(sequence) \(description)")
        }
    }

    mutating func finish() throws {
        while !model.pins.isEmpty { release() }
        model.visible = model.last
        index.publish(model.last)
        try checkPruned()
        let statistics = index.statistics
        try #require(statistics.versions == statistics.keys && statistics.tombstones == 0, "\(description)")
    }

    private var description: String { "seed \(random.seed)" }
}
