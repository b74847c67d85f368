import Testing

@testable import Heartwood

/// Read pins by the pin epoch in which they were taken.
@Suite struct PinEpochsTests {
    /// Compared with a list of all pins.
    @Test func epochsCountWhatAListCounts() {
        var random = SplitMix64(fromEnvironmentFor: "PinEpochsTests")
        var epochs = PinEpochs()
        var pins: [UInt64] = []
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: pins.append(epochs.enter())
            case 2, 3:
                if pins.isEmpty { continue }
                epochs.leave(pins.remove(at: Int.random(in: pins.indices, using: &random)))
            default: _ = epochs.end()
            }
            let epoch = UInt64.random(in: 0...epochs.current, using: &random)
            #expect(epochs.isOver(epoch) == pins.allSatisfy { $0 > epoch }, "seed \(random.seed)")
        }
    }
}
