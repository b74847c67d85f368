import Testing

@testable import heartwood_bench

struct SpreadTests {
    @Test func medianOfOddAndEvenCounts() {
        #expect(Spread([3, 1, 2])?.median == 2)
        #expect(Spread([4, 1, 2, 3])?.median == 2.5)
        #expect(Spread([5])?.minimum == 5)
        #expect(Spread([]) == nil)
    }
}
