/// What a second of a soak looked like.
package struct SoakSample: Sendable {
    /// How long puts took, in seconds.
    package struct Latency: Sendable, Hashable {
        package var p50: Double
        package var p99: Double
        package var p999: Double
        package var maximum: Double

        /// Of nanoseconds; nil where there are none.
        package init?(_ nanoseconds: [UInt64]) {
            guard !nanoseconds.isEmpty else { return nil }
            let sorted = nanoseconds.sorted()
            func at(_ share: Double) -> Double { Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1e9 }
            (p50, p99, p999, maximum) = (at(0.5), at(0.99), at(0.999), at(1))
        }
    }

    /// Seconds since the beginning.
    package var time: Double
    /// Resident bytes; nil where the system doesn't tell.
    package var memory: Int?
    /// Bytes that the files take.
    package var disk: Int
    package var keys: Int
    /// By durability: synced, written, buffered; nil where nothing was put.
    package var latencies: [Latency?]

    package init(time: Double, memory: Int?, disk: Int, keys: Int, latencies: [Latency?]) {
        self.time = time
        self.memory = memory
        self.disk = disk
        self.keys = keys
        self.latencies = latencies
    }
}

/// Whether something has stopped growing.
package enum Flatness {
    /// The medians of the second and of the last third.
    ///
    /// Medians, because compaction makes teeth of whatever it is, and one tooth more or less must not count.
    package static func medians(_ values: [Int]) -> (earlier: Int, later: Int)? {
        let third = values.count / 3
        guard third > 0 else { return nil }
        return (median(values[third..<2 * third]), median(values[(2 * third)...]))
    }

    /// Flat: the last third's median is at most 1.3 times that of the second, and a little more.
    package static func isFlat(_ values: [Int], slack: Int) -> Bool {
        guard let (earlier, later) = medians(values) else { return true }
        return later <= earlier + earlier / 10 * 3 + slack
    }

    private static func median(_ values: ArraySlice<Int>) -> Int { values.sorted()[values.count / 2] }
}
