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
    private let others: any CounterHandler
    private let bytes: any CounterHandler
    private let replays: any CounterHandler
    private let created: any CounterHandler
    private let state = Mutex(State())
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

    private struct State {
        /// Without the types.
        var totals = Totals()
        /// By the hash of the name.
        var types: [UInt64: TypeSeries] = [:]
        var otherEvents = 0
    }

    private struct TypeSeries {
        var name: String
        var counter: any CounterHandler
        var events = 0
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

    var current: Totals {
        state.withLock { state in
            var totals = state.totals
            for type in state.types.values { totals.types[type.name, default: 0] += type.events }
            if state.otherEvents > 0 { totals.types["other", default: 0] += state.otherEvents }
            return totals
        }
    }

    func accepted(_ counts: TypeCounts, bytes: Int, isReplay: Bool, since started: ContinuousClock.Instant) {
        duration.record((ContinuousClock.now - started) / .seconds(1))
        created.increment(by: 1)
        if isReplay {
            replays.increment(by: 1)
            return state.withLock { $0.totals.requests += 1 }
        }
        self.bytes.increment(by: Int64(bytes))
        state.withLock { state in
            state.totals.requests += 1
            state.totals.events += counts.total
            state.totals.bytes += bytes
            for count in counts.counts { add(count.count, of: count.hash, count.name, to: &state) }
            if counts.others > 0 { addOthers(counts.others, to: &state) }
        }
    }

    private func add(_ count: Int, of hash: UInt64, _ name: String, to state: inout State) {
        if state.types[hash] == nil {
            guard state.types.count < Self.maximumTypes else { return addOthers(count, to: &state) }
            let counter = registry.makeCounter(label: "collector.events", dimensions: [("type", name)])
            state.types[hash] = TypeSeries(name: name, counter: counter)
        }
        state.types[hash]?.counter.increment(by: Int64(count))
        state.types[hash]?.events += count
    }

    private func addOthers(_ count: Int, to state: inout State) {
        others.increment(by: Int64(count))
        state.otherEvents += count
    }

    func refused(_ status: HTTPResponse.Status, since started: ContinuousClock.Instant) {
        Self.requests(registry, status: status.code).increment(by: 1)
        state.withLock {
            $0.totals.requests += 1
            $0.totals.refused += 1
        }
    }
}
