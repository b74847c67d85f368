import CoreMetrics
import Synchronization

/// What a metric is for Prometheus.
enum SeriesKind: String { case counter, gauge, histogram }

/// One metric with its labels.
protocol Series: AnyObject, Sendable {
    var reading: SeriesReading { get }
}

/// The value of a series at one moment.
enum SeriesReading {
    case count(Int64)
    case value(Double)
    case histogram(Histogram)
}

/// A count that only grows.
final class CounterSeries: CounterHandler, Series {
    private let count = Atomic<Int64>(0)

    var reading: SeriesReading { .count(count.load(ordering: .relaxed)) }
    func increment(by amount: Int64) { count.wrappingAdd(max(0, amount), ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

final class FloatingPointSeries: FloatingPointCounterHandler, Series {
    private let value = Mutex(0.0)

    var reading: SeriesReading { .value(value.withLock { $0 }) }
    func increment(by amount: Double) { value.withLock { $0 += max(0, amount) } }
    func reset() { value.withLock { $0 = 0 } }
}

/// A value that goes up and down.
final class GaugeSeries: MeterHandler, RecorderHandler, Series {
    private let value = Mutex(0.0)

    var reading: SeriesReading { .value(value.withLock { $0 }) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
}

/// Counts values in buckets with fixed bounds.
final class HistogramSeries: TimerHandler, RecorderHandler, Series {
    /// From half a millisecond to ten seconds.
    static let seconds = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
    static let powersOfTwo = (0...20).map { Double(1 << $0) }

    private let histogram: Mutex<Histogram>

    init(bounds: [Double]) { histogram = Mutex(Histogram(bounds: bounds)) }

    var reading: SeriesReading { .histogram(current) }
    var current: Histogram { histogram.withLock { $0 } }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { histogram.withLock { $0.add(value) } }
}

/// How many values are in which bucket.
struct Histogram: Equatable {
    /// The upper ends of the buckets, in order; the last bucket has none.
    let bounds: [Double]
    /// One for each bucket.
    private(set) var counts: [UInt64]
    private(set) var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    var count: UInt64 { counts.reduce(0, +) }

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// What was added since an earlier state.
    func since(_ earlier: Histogram) -> Histogram {
        var difference = self
        difference.counts = zip(counts, earlier.counts).map { $0 >= $1 ? $0 - $1 : $0 }
        difference.sum = sum - earlier.sum
        return difference
    }

    /// The value below which a share of the values is, interpolated within its bucket; nil without values.
    func quantile(_ share: Double) -> Double? {
        let total = count
        guard total > 0, let last = bounds.last else { return nil }
        let rank = share * Double(total)
        var below = 0.0
        for (index, bound) in bounds.enumerated() {
            let inBucket = Double(counts[index])
            if below + inBucket >= rank, inBucket > 0 {
                let lower = index == 0 ? 0 : bounds[index - 1]
                return lower + (bound - lower) * (rank - below) / inBucket
            }
            below += inBucket
        }
        return last
    }
}
