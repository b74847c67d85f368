import Testing

@testable import heartwood_bench

struct ExpectedContentsTests {
    private let data = Dataset(seed: 1, keyCount: 100)

    /// Shows pairs, by numbers of keys and values.
    private func show(_ pairs: [(number: Int, value: Int)], to expectation: ExpectedContents) throws {
        try expectation.check { visit in
            let keys = data.keys()
            var key = keys.makeBuffer()
            for pair in pairs {
                keys.write(pair.number, to: &key)
                let goesOn = key.withUnsafeBytes { key in
                    data.values[pair.value].withUnsafeBytes { visit(key.bytes, $0.bytes) }
                }
                if !goesOn { return }
            }
        }
    }

    private var filled: [(number: Int, value: Int)] { (0..<100).map { ($0, $0) } }

    @Test func acceptsWhatWasPut() throws {
        try show(filled, to: ExpectedContents(data, isFilled: true))
        var expectation = ExpectedContents(data, isFilled: true)
        expectation.put(7, 50)
        expectation.remove(8)
        var pairs = filled
        pairs[7].value = 50
        pairs.remove(at: 8)
        try show(pairs, to: expectation)
        try show([], to: ExpectedContents(data, isFilled: false))
    }

    @Test func refusesWhatIsMissing() {
        #expect(throws: WrongResult.self) {
            try show(Array(filled.dropLast()), to: ExpectedContents(data, isFilled: true))
        }
    }

    @Test func refusesWhatWasNeverPut() {
        var expectation = ExpectedContents(data, isFilled: true)
        expectation.remove(3)
        #expect(throws: WrongResult.self) { try show(filled, to: expectation) }
    }

    @Test func refusesAnOlderValue() {
        var expectation = ExpectedContents(data, isFilled: true)
        expectation.put(3, 99)
        #expect(throws: WrongResult.self) { try show(filled, to: expectation) }
    }

    @Test func acceptsTheLastOfAnyWriterAndNothingElse() throws {
        var expectation = ExpectedContents(data, isFilled: true)
        expectation.mayHave(3, 60)
        expectation.mayHave(3, 70)
        for value in [60, 70] {
            var pairs = filled
            pairs[3].value = value
            try show(pairs, to: expectation)
        }
        // Somebody has overwritten it.
        #expect(throws: WrongResult.self) { try show(filled, to: expectation) }
    }
}
