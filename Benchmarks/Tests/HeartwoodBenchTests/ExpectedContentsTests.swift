import Testing

@testable import heartwood_bench

struct ExpectedContentsTests {
    private let data = Dataset(seed: 1, keyCount: 100)

    /// Checks pairs, given by numbers of keys and values.
    private func check(_ pairs: [(number: Int, value: Int)], against expectation: ExpectedContents) throws {
        try expectation.check(Pairs(data: data, pairs: pairs))
    }

    /// A session that only scans.
    private struct Pairs: Session {
        let data: Dataset
        let pairs: [(number: Int, value: Int)]

        func scan(from key: [UInt8]?, _ visit: PairVisitor) {
            let keys = data.keys()
            var key = keys.makeBuffer()
            for pair in pairs {
                keys.write(pair.number, to: &key)
                let continues = key.withUnsafeBytes { key in
                    data.values[pair.value].withUnsafeBytes { visit(key.bytes, $0.bytes) }
                }
                if !continues { return }
            }
        }

        func put(_ key: [UInt8], _ value: [UInt8]) {}
        func remove(_ key: [UInt8]) {}
        func write(_ fill: (_ add: PairAdder) throws -> Void) {}
        func get(_ key: [UInt8], _ body: (RawSpan) -> Void) -> Bool { false }
        func scanBackwards(_ visit: PairVisitor) {}
    }

    private var filled: [(number: Int, value: Int)] { (0..<100).map { ($0, $0) } }

    @Test func acceptsWhatWasPut() throws {
        try check(filled, against: ExpectedContents(data, isFilled: true))
        var expectation = ExpectedContents(data, isFilled: true)
        expectation.put(7, 50)
        expectation.remove(8)
        var pairs = filled
        pairs[7].value = 50
        pairs.remove(at: 8)
        try check(pairs, against: expectation)
        try check([], against: ExpectedContents(data, isFilled: false))
    }

    @Test func refusesAMissingKeyARemovedOneAndAnOlderValue() {
        let whole = ExpectedContents(data, isFilled: true)
        var (removed, overwritten) = (whole, whole)
        removed.remove(3)
        overwritten.put(3, 99)
        for (pairs, expectation) in [(filled.dropLast(), whole), (filled[...], removed), (filled[...], overwritten)] {
            #expect(throws: WrongResult.self) { try check(Array(pairs), against: expectation) }
        }
    }

    @Test func acceptsOnlyTheLastValuesOfWriters() throws {
        var expectation = ExpectedContents(data, isFilled: true)
        expectation.mayHave(3, 60)
        expectation.mayHave(3, 70)
        for value in [60, 70] {
            var pairs = filled
            pairs[3].value = value
            try check(pairs, against: expectation)
        }
        // The first value is overwritten.
        #expect(throws: WrongResult.self) { try check(filled, against: expectation) }
    }
}
