/// One second of a soak.
package struct SoakSample: Sendable {
    /// Percentiles of the durations of puts, in seconds.
    package struct Latency: Sendable, Hashable {
        package var p50: Double
        package var p99: Double
        package var p999: Double
        package var maximum: Double

        /// nil if there are no durations.
        package init?(_ nanoseconds: [UInt64]) {
            guard !nanoseconds.isEmpty else { return nil }
            let sorted = nanoseconds.sorted()
            func at(_ share: Double) -> Double { Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1e9 }
            (p50, p99, p999, maximum) = (at(0.5), at(0.99), at(0.999), at(1))
        }
    }

    /// Seconds since the beginning.
    package var time: Double
    /// Resident bytes; nil where the system doesn't report them.
    package var memory: Int?
    /// Bytes that the files occupy.
    package var disk: Int
    /// Of synced, written and buffered puts; nil where there were none.
    package var latencies: [Latency?]
}

/// Judges whether a value has stopped growing.
package enum Flatness {
    /// The medians of the second and of the last third. Compaction makes a sawtooth, and one tooth more must not count.
    package static func medians(_ values: [Int]) -> (earlier: Int, later: Int)? {
        let third = values.count / 3
        guard third > 0 else { return nil }
        return (median(values[third..<2 * third]), median(values[(2 * third)...]))
    }

    /// Whether the last third's median is at most 1.3 times that of the second third, plus `slack`.
    package static func isFlat(_ values: [Int], slack: Int) -> Bool {
        guard let (earlier, later) = medians(values) else { return true }
        return later <= earlier + earlier / 10 * 3 + slack
    }

    private static func median(_ values: ArraySlice<Int>) -> Int { values.sorted()[values.count / 2] }
}
