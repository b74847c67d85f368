public import CoreMetrics
import Synchronization

/// Collects the metrics of the process for Prometheus: a backend of swift-metrics.
///
/// Each metric has at most ``maximumSeries`` combinations of labels. Further ones are counted together, with the value
/// "other" for each label, so that no client can fill the memory by what it sends.
public final class MetricsRegistry: MetricsFactory {
    static let maximumSeries = 200

    /// All metrics of one name.
    struct Family {
        var kind: SeriesKind
        var series: [Labels: any Series] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// Creates an empty registry.
    public init() {}

    /// A counter, `NAME_total`.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, "_total", dimensions, .counter) { CounterSeries() }
    }

    /// A counter, `NAME_total`.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, "_total", dimensions, .counter) { FloatingPointSeries() }
    }

    /// A gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// A histogram with powers of two as bounds; a gauge if it doesn't aggregate.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if !aggregate { return gauge(label, dimensions) }
        return series(label, "", dimensions, .histogram) { HistogramSeries(bounds: HistogramSeries.powersOfTwo) }
    }

    /// A histogram of seconds, `NAME_seconds`.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions)
    }

    /// Forgets it.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    /// Forgets it.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    /// Forgets it.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    /// Forgets it.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    /// Forgets it.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    func gauge(_ label: String, _ dimensions: [(String, String)] = []) -> GaugeSeries {
        series(label, "", dimensions, .gauge) { GaugeSeries() }
    }

    /// Of seconds.
    func histogram(_ label: String, _ dimensions: [(String, String)] = []) -> HistogramSeries {
        series(label, "_seconds", dimensions, .histogram) { HistogramSeries(bounds: HistogramSeries.seconds) }
    }

    /// What is collected now.
    var current: [(name: String, family: Family)] {
        families.withLock { $0.sorted { $0.key < $1.key } }.map { ($0.key, $0.value) }
    }

    private func series<S: Series>(
        _ label: String, _ suffix: String, _ dimensions: [(String, String)], _ kind: SeriesKind, make: () -> S
    ) -> S {
        var name = MetricName.metric(label)
        if !name.hasSuffix(suffix) { name += suffix }
        let labels = Labels(dimensions)
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            // A name has one kind. What contradicts it isn't exported.
            guard family.kind == kind else { return make() }
            var key = labels
            if family.series[key] == nil, family.series.count >= Self.maximumSeries { key = labels.others }
            if let found = family.series[key] { return found as? S ?? make() }
            let made = make()
            family.series[key] = made
            families[name] = family
            return made
        }
    }

    private func remove(_ handler: AnyObject) {
        families.withLock { families in
            for (name, family) in families {
                for (labels, series) in family.series where series === handler {
                    families[name]?.series[labels] = nil
                }
            }
        }
    }
}

/// The labels of a series, in the order of their names.
struct Labels: Hashable {
    var pairs: [Pair]

    struct Pair: Hashable {
        var name: String
        var value: String
    }

    init(_ dimensions: [(String, String)]) {
        let named = Dictionary(dimensions.map { (MetricName.label($0.0), $0.1) }) { $1 }
        pairs = named.map { Pair(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    /// The same labels, for what isn't told apart any more.
    var others: Labels {
        var copy = self
        for index in copy.pairs.indices { copy.pairs[index].value = "other" }
        return copy
    }
}

/// Names as Prometheus allows them.
enum MetricName {
    static func metric(_ name: String) -> String { sanitized(name, allowingColon: true) }
    static func label(_ name: String) -> String { sanitized(name, allowingColon: false) }

    private static func sanitized(_ name: String, allowingColon: Bool) -> String {
        var bytes = name.utf8.map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): byte
            case UInt8(ascii: ":") where allowingColon: byte
            default: UInt8(ascii: "_")
            }
        }
        if bytes.first.map({ (0x30...0x39).contains($0) }) ?? true { bytes.insert(UInt8(ascii: "_"), at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
