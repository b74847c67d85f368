internal import Histogram

/// Durations of operations in nanoseconds, to two significant digits. Small enough for one per worker, even with
/// thousands of workers.
struct Latencies: Sendable {
    private static let highest: UInt64 = 60_000_000_000
    private var histogram = Histogram<UInt32>(highestTrackableValue: highest, numberOfSignificantValueDigits: .two)

    var count: Int { Int(histogram.totalCount) }

    @inline(__always)
    mutating func record(_ nanoseconds: UInt64) {
        histogram.record(min(nanoseconds, Self.highest))
    }

    mutating func add(_ other: Latencies) {
        histogram.add(other.histogram)
    }

    var maximum: UInt64 { histogram.max }

    /// The latency that `percent` of the operations did not exceed.
    func percentile(_ percent: Double) -> UInt64 {
        histogram.valueAtPercentile(percent)
    }

    /// The latencies for the results; nil if nothing was recorded.
    ///
    /// - Parameter isCorrected: Whether each operation was measured from the time at which it was due.
    func result(isCorrected: Bool = false) -> LatencyResult? {
        guard count > 0 else { return nil }
        return LatencyResult(
            count: count, mean: histogram.mean, p50: percentile(50), p90: percentile(90), p99: percentile(99),
            p999: percentile(99.9), p9999: percentile(99.99), maximum: maximum, isCorrected: isCorrected, curve: curve)
    }

    /// Percentiles from the lowest to the highest that the number of operations supports, eight for each nine.
    private var curve: [LatencyResult.Point] {
        var points = [0.0, 10, 20, 30, 40].map { LatencyResult.Point(percentile: $0, nanoseconds: percentile($0)) }
        var share = 0.5
        while share * Double(count) >= 1, points.count < 60 {
            let percent = 100 * (1 - share)
            points.append(LatencyResult.Point(percentile: percent, nanoseconds: percentile(percent)))
            share *= 0.75
        }
        points.append(LatencyResult.Point(percentile: 100, nanoseconds: maximum))
        return points
    }
}
