import Testing

@testable import Heartwood

/// When holds were taken.
@Suite struct ErasTests {
    @Test func anEraIsOverWhenItsHoldsAreGone() {
        var eras = PinEpochs()
        #expect(eras.isOver(0) && eras.isOver(7))
        let first = eras.enter()
        let second = eras.enter()
        #expect(!eras.isOver(0))
        #expect(eras.end() == 0)
        let third = eras.enter()
        #expect(first == 0 && second == 0 && third == 1)
        eras.leave(first)
        #expect(!eras.isOver(0))
        eras.leave(second)
        #expect(eras.isOver(0) && !eras.isOver(1))
        eras.leave(third)
        #expect(eras.isOver(1))
    }

    /// Against a list of all holds.
    @Test func erasCountWhatAListCounts() {
        var random = SplitMix64(fromEnvironmentFor: "ErasTests")
        var eras = PinEpochs()
        var held: [UInt64] = []
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: held.append(eras.enter())
            case 2, 3:
                if held.isEmpty { continue }
                eras.leave(held.remove(at: Int.random(in: held.indices, using: &random)))
            default: _ = eras.end()
            }
            let era = UInt64.random(in: 0...eras.current, using: &random)
            #expect(eras.isOver(era) == held.allSatisfy { $0 > era }, "seed \(random.seed)")
        }
    }
}
