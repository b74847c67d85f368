internal import Testing

@testable internal import heartwood_tool

@Suite("bench: the histogram of latencies")
struct LatencyHistogramTests {
    private static let ranks = Array(1...1_000)

    /// Numbers of all magnitudes: as many between 1 and 2 µs as between 1 and 2 s.
    private func samples(_ count: Int, seed: UInt64) -> [UInt64] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            let word = random.next()
            return word >> UInt64(27 + random.next(below: 37))
        }
    }

    /// The exact value by sorting: the least sample that this many of a thousand don't exceed.
    private func exact(_ sorted: [UInt64], _ perMille: Int) -> UInt64 {
        sorted[(sorted.count * perMille + 999) / 1_000 - 1]
    }

    private func expect(_ histogram: LatencyHistogram, of samples: [UInt64]) {
        let sorted = samples.sorted()
        #expect(histogram.count == sorted.count && histogram.maximum == sorted.last)
        let mean = sorted.reduce(0) { $0 + Double($1) } / Double(sorted.count)
        #expect(abs(histogram.mean - mean) <= 1e-9 * mean)
        for rank in Self.ranks {
            let (found, exact) = (histogram.value(perMille: rank), exact(sorted, rank))
            #expect(found >= exact && Double(found - exact) <= 0.01 * Double(exact), "\(rank): \(found), \(exact)")
            #expect(histogram.percentile(Double(rank) / 10) >= found)
        }
    }

    @Test("has every percentile within 1 % of the sorted samples", arguments: [1, 2, 999, 1_000, 1_001, 50_000])
    func percentiles(count: Int) {
        let samples = samples(count, seed: UInt64(count))
        var histogram = LatencyHistogram()
        for sample in samples { histogram.record(sample) }
        expect(histogram, of: samples)
    }

    @Test("is exact up to 255, and within 1 % around every power of two")
    func edges() {
        var values = Array(0..<UInt64(256))
        for power in UInt64(8)..<37 {
            let value: UInt64 = 1 << power
            values += [value - 1, value, value + 1, value + value / 2]
        }
        for value in values {
            var histogram = LatencyHistogram()
            histogram.record(value)
            // Otherwise the maximum would hide the value of the bucket.
            histogram.record(LatencyHistogram.highest)
            let found = histogram.value(perMille: 500)
            #expect(found >= value && Double(found - value) <= (value < 256 ? 0 : 0.01 * Double(value)), "\(value)")
        }
    }

    @Test("the sum of two is like one")
    func addition() {
        let (first, second) = (samples(3_000, seed: 1), samples(5_000, seed: 2))
        var (one, other) = (LatencyHistogram(), LatencyHistogram())
        for sample in first { one.record(sample) }
        for sample in second { other.record(sample) }
        one.add(other)
        expect(one, of: first + second)
    }

    @Test("times beyond the highest count, and the maximum is exact")
    func beyond() {
        var histogram = LatencyHistogram()
        for _ in 0..<10 { histogram.record(.max) }
        #expect(histogram.count == 10)
        #expect(histogram.maximum == .max)
        #expect(histogram.value(perMille: 999) >= LatencyHistogram.highest)
    }

    @Test("an empty one has no percentiles")
    func empty() {
        #expect(LatencyHistogram().value(perMille: 500) == 0 && LatencyHistogram().mean == 0)
    }
}
