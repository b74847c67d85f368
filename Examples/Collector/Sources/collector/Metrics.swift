import CoreMetrics
import Synchronization

/// One metric with its labels.
final class Metric: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String { case counter, gauge, histogram }

    /// The value; of a histogram the sum, and how many values are in which bucket.
    struct Reading {
        var value = 0.0
        var counts: [Int]

        /// The value below which a share of the values is that came since an earlier reading, interpolated within its
        /// bucket; nil without values.
        func quantile(_ share: Double, since earlier: Reading, bounds: [Double]) -> Double? {
            let recent = zip(counts, earlier.counts).map { Double($0 - $1) }
            let rank = share * recent.reduce(0, +)
            guard rank > 0, let last = bounds.last else { return nil }
            var below = 0.0
            for (index, bound) in bounds.enumerated() {
                if below + recent[index] >= rank, recent[index] > 0 {
                    let lower = index == 0 ? 0 : bounds[index - 1]
                    return lower + (bound - lower) * (rank - below) / recent[index]
                }
                below += recent[index]
            }
            return last
        }
    }

    /// From half a millisecond to ten seconds.
    static let seconds = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
    static let powersOfTwo = (0...20).map { Double(1 << $0) }

    let kind: Kind
    /// The upper ends of a histogram's buckets; the last bucket has none.
    let bounds: [Double]
    private let state: Mutex<Reading>

    init(_ kind: Kind, _ bounds: [Double]) {
        (self.kind, self.bounds) = (kind, bounds)
        state = Mutex(Reading(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var reading: Reading { state.withLock { $0 } }

    func set(_ value: Double) { state.withLock { $0.value = value } }
    func set(_ value: Int64) { set(Double(value)) }
    func increment(by amount: Double) { state.withLock { $0.value += kind == .counter ? max(0, amount) : amount } }
    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func decrement(by amount: Double) { increment(by: -amount) }
    func reset() { set(0.0) }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        guard kind == .histogram else { return set(value) }
        guard value.isFinite else { return }
        state.withLock { state in
            state.counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
            state.value += value
        }
    }
}

/// Collects the metrics of the process for Prometheus: a backend of swift-metrics.
///
/// Each metric has at most ``maximumSeries`` combinations of labels. Further ones are counted together, with the value
/// "other" for each label, so that no client can fill the memory by what it sends.
final class MetricsRegistry: MetricsFactory {
    static let maximumSeries = 200

    /// By the name, and then by the labels as Prometheus writes them.
    private let families = Mutex<[String: [String: Metric]]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { counter(label, dimensions) }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { gauge(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { timer(label, dimensions) }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { counter(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? metric(label, "", dimensions, .histogram, Metric.powersOfTwo) : gauge(label, dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    func counter(_ label: String, _ labels: [(String, String)] = []) -> Metric {
        metric(label, "_total", labels, .counter)
    }

    func gauge(_ label: String, _ labels: [(String, String)] = []) -> Metric { metric(label, "", labels, .gauge) }

    /// Of seconds.
    func timer(_ label: String, _ labels: [(String, String)] = []) -> Metric {
        metric(label, "_seconds", labels, .histogram, Metric.seconds)
    }

    private func metric(
        _ label: String, _ suffix: String, _ labels: [(String, String)], _ kind: Metric.Kind, _ bounds: [Double] = []
    ) -> Metric {
        var name = Self.sanitized(label)
        if !name.hasSuffix(suffix) { name += suffix }
        return families.withLock { families in
            // A name has one kind. What contradicts it isn't exported.
            if let other = families[name]?.first?.value, other.kind != kind { return Metric(kind, bounds) }
            var key = Self.text(labels)
            if families[name]?[key] == nil, families[name]?.count ?? 0 >= Self.maximumSeries {
                key = Self.text(labels.map { ($0.0, "other") })
            }
            let metric = families[name]?[key] ?? Metric(kind, bounds)
            families[name, default: [:]][key] = metric
            return metric
        }
    }

    private func remove(_ handler: AnyObject) {
        families.withLock { families in
            for name in families.keys { families[name] = families[name]?.filter { $0.value !== handler } }
        }
    }

    /// All metrics, in the text format of Prometheus, version 0.0.4.
    var text: String {
        func number(_ value: Double) -> String {
            if value.isNaN { return "NaN" }
            if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
            return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
        }
        func braces(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
        var text = ""
        for (name, metrics) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            guard let kind = metrics.first?.value.kind else { continue }
            text += "# TYPE \(name) \(kind.rawValue)\n"
            for (labels, metric) in metrics.sorted(by: { $0.key < $1.key }) {
                let reading = metric.reading
                guard kind == .histogram else {
                    text += "\(name)\(braces(labels)) \(number(reading.value))\n"
                    continue
                }
                var count = 0
                for (bound, inBucket) in zip(metric.bounds.map(number) + ["+Inf"], reading.counts) {
                    count += inBucket
                    text += "\(name)_bucket{\(labels)\(labels.isEmpty ? "" : ",")le=\"\(bound)\"} \(count)\n"
                }
                text += "\(name)_sum\(braces(labels)) \(number(reading.value))\n"
                text += "\(name)_count\(braces(labels)) \(count)\n"
            }
        }
        return text
    }

    private static func text(_ labels: [(String, String)]) -> String {
        let pairs = labels.map { name, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(sanitized(name))=\"\(escaped)\""
        }
        return pairs.sorted().joined(separator: ",")
    }

    /// A name as Prometheus allows it.
    private static func sanitized(_ name: String) -> String {
        let text = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return text.first?.isNumber ?? true ? "_\(text)" : text
    }
}
