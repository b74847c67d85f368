import AsyncAlgorithms
import Foundation
import HTTPTypes
import Heartwood
import NIOCore
import ServiceLifecycle
import Synchronization

/// The figures of one moment, for the page. Totals count from the start of the service.
struct StatsSample: Sendable, Encodable {
    struct StoreFigures: Sendable, Encodable {
        var state: String
        var keys, indexBytes: Int
        var logBytes, snapshotBytes, commits, syncs: UInt64

        init(_ store: Store.Statistics) {
            (state, keys, indexBytes, commits) = ("\(store.state)", store.keys, store.indexBytes, store.commits)
            (logBytes, snapshotBytes, syncs) = (store.logBytes, store.snapshotBytes, store.syncs)
        }
    }

    /// Milliseconds since 1970.
    var time: UInt64 = 0
    var events = 0, requests = 0, refused = 0, bytes = 0
    var types: [String: Int] = [:]
    /// Milliseconds, of the accepted requests since the sample before; nil without any.
    var median, percentile99: Double?
    var streams = 0
    /// Nil without a store, and on a cluster.
    var store: StoreFigures?
    var isOnCluster = false
}

/// Counts what is taken in: for `/metrics` and for the page.
///
/// Hummingbird's own `MetricsMiddleware` measures the other routes. It makes each body a closure, which costs two more
/// writes to the connection; so the route with the most requests records the same metrics itself.
final class IngestMetrics: Sendable {
    /// More types than this are counted together.
    private static let maximumTypes = 50

    private let registry: MetricsRegistry
    private let created, replays, bytes: Metric
    private let state = Mutex<(totals: StatsSample, types: [String: Metric])>((StatsSample(), [:]))
    /// From the head of a request to its answer.
    let duration: Metric

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        created = registry.counter("hb.requests", Self.labels(201))
        replays = registry.counter("collector.ingest.replays")
        bytes = registry.counter("collector.ingest.bytes")
        duration = registry.timer("http.server.request.duration", Self.labels(201))
    }

    var totals: StatsSample { state.withLock { $0.totals } }

    /// - Parameters:
    ///   - types: How many events of each type were written.
    ///   - count: The bytes of the body; nil if the request was written before.
    func accepted(_ types: [String: Int], _ count: Int?, since started: ContinuousClock.Instant) {
        duration.record((ContinuousClock.now - started) / .seconds(1))
        created.increment(by: 1.0)
        if count == nil { replays.increment(by: 1.0) }
        bytes.increment(by: Double(count ?? 0))
        state.withLock { state in
            state.totals.requests += 1
            state.totals.bytes += count ?? 0
            for (type, events) in types {
                let name = state.types[type] != nil || state.types.count < Self.maximumTypes ? type : "other"
                let metric = state.types[name] ?? registry.counter("collector.events", [("type", name)])
                metric.increment(by: Double(events))
                state.types[name] = metric
                state.totals.types[name, default: 0] += events
                state.totals.events += events
            }
        }
    }

    func refused(_ status: HTTPResponse.Status) {
        registry.counter("hb.requests", Self.labels(status.code)).increment(by: 1.0)
        state.withLock {
            $0.totals.requests += 1
            $0.totals.refused += 1
        }
    }

    private static func labels(_ status: Int) -> [(String, String)] {
        [("http.route", "/events"), ("http.request.method", "POST"), ("http.response.status_code", "\(status)")]
    }
}

/// Takes a sample of the service's figures each second: `GET /stats` and `/stats/stream`.
final class StatsSampler: Service {
    private let store: (any KeyValueStore)?
    private let metrics: IngestMetrics
    private let streams: Slots
    private let clock: any StoreClock
    private let state: Mutex<(samples: [StatsSample], number: Int, durations: Metric.Reading)>

    init(_ store: (any KeyValueStore)?, _ metrics: IngestMetrics, streams: Slots, clock: any StoreClock) {
        (self.store, self.metrics, self.streams, self.clock) = (store, metrics, streams, clock)
        state = Mutex(([], 0, metrics.duration.reading))
    }

    func run() async throws {
        // Cancellation is the way in which it ends, no error.
        try? await cancelWhenGracefulShutdown {
            while true {
                self.sample()
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    func sample() {
        let durations = metrics.duration.reading
        var sample = metrics.totals
        (sample.time, sample.streams) = (clock.now().milliseconds, streams.count)
        sample.store = (store as? Store).map { StatsSample.StoreFigures($0.statistics) }
        sample.isOnCluster = store != nil && sample.store == nil
        state.withLock { [sample] state in
            var sample = sample
            func milliseconds(_ share: Double) -> Double? {
                durations.quantile(share, since: state.durations, bounds: metrics.duration.bounds).map { $0 * 1_000 }
            }
            (sample.median, sample.percentile99) = (milliseconds(0.5), milliseconds(0.99))
            state.samples = state.samples.suffix(119) + [sample]
            (state.number, state.durations) = (state.number + 1, durations)
        }
    }

    /// The samples of the last two minutes.
    var samples: [StatsSample] { state.withLock { $0.samples } }

    /// Sends samples as they are taken.
    func send(to output: ServerSentEvents.Output) async throws {
        var sent = state.withLock { $0.number }
        while true {
            let (samples, number) = state.withLock { ($0.samples, $0.number) }
            for sample in samples.suffix(number - sent) {
                let json = String(decoding: try JSONEncoder().encode(sample), as: UTF8.self)
                await output.send(ByteBuffer(string: "data: \(json)\n\n"))
            }
            sent = number
            try await Task.sleep(for: .milliseconds(250))
        }
    }
}
