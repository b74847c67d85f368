internal import Histogram

/// How long operations took, in nanoseconds, to two significant digits. Small enough that each of a thousand tasks
/// keeps its own.
struct Latencies: Sendable {
    private static let highest: UInt64 = 60_000_000_000
    private var histogram = Histogram<UInt32>(highestTrackableValue: highest, numberOfSignificantValueDigits: .two)

    /// Number of operations.
    var count: Int { Int(histogram.totalCount) }

    mutating func record(_ nanoseconds: UInt64) {
        histogram.record(min(nanoseconds, Self.highest))
    }

    mutating func add(_ other: Latencies) {
        histogram.add(other.histogram)
    }

    /// The latency that `percent` of the operations didn't exceed.
    func percentile(_ percent: Double) -> UInt64 {
        histogram.valueAtPercentile(percent)
    }

    /// The figures that are shown.
    var summary: LatencySummary {
        LatencySummary(
            p50: percentile(50), p99: percentile(99), p999: percentile(99.9), maximum: histogram.max)
    }
}

/// Percentiles of latency, in nanoseconds.
struct LatencySummary: Sendable, Codable {
    var p50: UInt64
    var p99: UInt64
    var p999: UInt64
    var maximum: UInt64
}
