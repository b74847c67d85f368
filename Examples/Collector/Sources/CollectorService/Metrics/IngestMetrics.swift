import CoreMetrics
import HTTPTypes
import Synchronization

/// Counts what is taken in: for `/metrics` and for the page.
///
/// Hummingbird's own `MetricsMiddleware` measures the other routes. It makes each body a closure, which costs two more
/// writes to the connection; so the route with the most requests records the same metrics itself.
final class IngestMetrics: Sendable {
    /// More types than this are counted together.
    static let maximumTypes = 50

    private let registry: MetricsRegistry
    private let types = Mutex<[UInt64: any CounterHandler]>([:])
    private let others: any CounterHandler
    private let bytes: any CounterHandler
    private let replays: any CounterHandler
    private let created: any CounterHandler
    private let totals = Mutex(Totals())
    /// From the head of a request to its answer.
    let duration: HistogramSeries

    /// Since the start of the service.
    struct Totals {
        var events = 0
        var requests = 0
        var refused = 0
        var bytes = 0
        var types: [String: Int] = [:]
    }

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        others = registry.makeCounter(label: "collector.events", dimensions: [("type", "other")])
        bytes = registry.makeCounter(label: "collector.ingest.bytes", dimensions: [])
        replays = registry.makeCounter(label: "collector.ingest.replays", dimensions: [])
        created = Self.requests(registry, status: 201)
        duration = registry.histogram("http.server.request.duration", Self.labels(status: 201))
    }

    private static func labels(status: Int) -> [(String, String)] {
        [("http.route", "/events"), ("http.request.method", "POST"), ("http.response.status_code", "\(status)")]
    }

    private static func requests(_ registry: MetricsRegistry, status: Int) -> any CounterHandler {
        registry.makeCounter(label: "hb.requests", dimensions: labels(status: status))
    }

    var current: Totals { totals.withLock { $0 } }

    func accepted(_ counts: TypeCounts, bytes: Int, isReplay: Bool, since started: ContinuousClock.Instant) {
        duration.record((ContinuousClock.now - started) / .seconds(1))
        created.increment(by: 1)
        totals.withLock { $0.requests += 1 }
        if isReplay { return replays.increment(by: 1) }
        self.bytes.increment(by: Int64(bytes))
        for count in counts.counts { counter(count.hash, count.name).increment(by: Int64(count.count)) }
        if counts.others > 0 { others.increment(by: Int64(counts.others)) }
        totals.withLock { totals in
            totals.events += counts.total
            totals.bytes += bytes
            for count in counts.counts {
                let isKnown = totals.types[count.name] != nil || totals.types.count < Self.maximumTypes
                totals.types[isKnown ? count.name : "other", default: 0] += count.count
            }
            if counts.others > 0 { totals.types["other", default: 0] += counts.others }
        }
    }

    func refused(_ status: HTTPResponse.Status, since started: ContinuousClock.Instant) {
        Self.requests(registry, status: status.code).increment(by: 1)
        totals.withLock {
            $0.requests += 1
            $0.refused += 1
        }
    }

    private func counter(_ hash: UInt64, _ name: String) -> any CounterHandler {
        types.withLock { types in
            if let found = types[hash] { return found }
            guard types.count < Self.maximumTypes else { return others }
            let made = registry.makeCounter(label: "collector.events", dimensions: [("type", name)])
            types[hash] = made
            return made
        }
    }
}
