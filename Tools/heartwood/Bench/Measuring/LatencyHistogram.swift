/// How long operations took, in nanoseconds. Percentiles are too high by less than 1 %, never too low.
///
/// The buckets are those of HdrHistogram (Gil Tene, https://hdrhistogram.org): 256 of one nanosecond each, then 128 for
/// each power of two. So a bucket is never wider than 1/128 of its lowest value. Recording needs no search and
/// allocates nothing; 16 KiB are enough for more than a minute, also for thousands of workers.
struct LatencyHistogram: Sendable {
    /// Longer times count as this: 137 s.
    static let highest: UInt64 = (1 << 37) - 1

    private var counts = [UInt32](repeating: 0, count: bucket(of: highest) + 1)
    private(set) var count = 0
    /// The longest one, exact.
    private(set) var maximum: UInt64 = 0
    private var sum = 0.0

    @inline(__always)
    mutating func record(_ nanoseconds: UInt64) {
        counts[Self.bucket(of: min(nanoseconds, Self.highest))] &+= 1
        count &+= 1
        sum += Double(nanoseconds)
        if nanoseconds > maximum { maximum = nanoseconds }
    }

    mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] &+= other.counts[index] }
        count += other.count
        sum += other.sum
        maximum = max(maximum, other.maximum)
    }

    var mean: Double { count > 0 ? sum / Double(count) : 0 }

    /// The time that this many of a thousand operations didn't exceed; 0 if there were none.
    ///
    /// In thousandths, because the rank of 99.9 percent may be one too high in floating point.
    func value(perMille: Int) -> UInt64 { value(rank: (count * perMille + 999) / 1000) }

    /// The time that `percent` of the operations didn't exceed.
    func percentile(_ percent: Double) -> UInt64 { value(rank: Int((Double(count) * percent / 100).rounded(.up))) }

    private func value(rank: Int) -> UInt64 {
        var sum = 0
        for (bucket, number) in counts.enumerated() {
            sum += Int(number)
            if sum >= max(1, rank) { return min(Self.lastValue(of: bucket), maximum) }
        }
        return maximum
    }

    private static func bucket(of value: UInt64) -> Int {
        guard value >= 256 else { return Int(value) }
        let shift = 56 - value.leadingZeroBitCount
        return shift << 7 + Int(value >> UInt64(shift))
    }

    private static func lastValue(of bucket: Int) -> UInt64 {
        guard bucket >= 256 else { return UInt64(bucket) }
        let shift = UInt64(bucket >> 7 - 1)
        return (UInt64(bucket & 127) + 129) << shift - 1
    }
}
