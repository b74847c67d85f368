import Heartwood
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// Takes a sample of the service's figures each second, for the page: `GET /stats` and `/stats/stream`.
final class StatsSampler: Service {
    private static let kept = 120

    private let store: (any KeyValueStore)?
    private let metrics: IngestMetrics
    private let streams: Slots
    private let clock: any StoreClock
    private let state: Mutex<State>

    private struct State {
        var samples: [StatsSample] = []
        var durations: Histogram
        var listeners: [Int: AsyncStream<StatsSample>.Continuation] = [:]
        var nextListener = 0
    }

    init(_ store: (any KeyValueStore)?, _ metrics: IngestMetrics, streams: Slots, clock: any StoreClock) {
        (self.store, self.metrics, self.streams, self.clock) = (store, metrics, streams, clock)
        state = Mutex(State(durations: metrics.duration.current))
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

    /// Takes a sample, and gives it to all listeners.
    func sample() {
        let durations = metrics.duration.current
        let (totals, statistics) = (metrics.current, (store as? Store)?.statistics)
        let isOnCluster = store != nil && statistics == nil
        let (now, open) = (clock.now().milliseconds, streams.count)
        state.withLock { state in
            let recent = durations.since(state.durations)
            state.durations = durations
            let sample = StatsSample(
                time: now, totals: totals, recent: recent, streams: open, statistics: statistics,
                isOnCluster: isOnCluster)
            state.samples.append(sample)
            if state.samples.count > Self.kept { state.samples.removeFirst() }
            for listener in state.listeners.values { listener.yield(sample) }
        }
    }

    /// The samples of the last two minutes.
    var samples: [StatsSample] { state.withLock { $0.samples } }

    /// Samples as they are taken. A listener that is late misses some.
    func listen() -> AsyncStream<StatsSample> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StatsSample.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return stream
    }
}

/// The figures of one moment. Totals count from the start of the service.
struct StatsSample: Sendable, Encodable {
    struct StoreFigures: Sendable, Encodable {
        var state: String
        var keys: Int
        var logBytes: UInt64
        var snapshotBytes: UInt64
        var indexBytes: Int
        var commits: UInt64
        var syncs: UInt64
    }

    /// Milliseconds since 1970.
    var time: UInt64
    var events: Int
    var requests: Int
    var refused: Int
    var bytes: Int
    var types: [String: Int]
    /// Milliseconds, of the accepted requests since the sample before; nil without any.
    var median: Double?
    var percentile99: Double?
    var streams: Int
    /// Nil without a store, and on a cluster.
    var store: StoreFigures?
    var isOnCluster: Bool

    init(
        time: UInt64, totals: IngestMetrics.Totals, recent: Histogram, streams: Int, statistics: Store.Statistics?,
        isOnCluster: Bool
    ) {
        self.time = time
        (events, requests, refused) = (totals.events, totals.requests, totals.refused)
        (bytes, types) = (totals.bytes, totals.types)
        median = recent.quantile(0.5).map { $0 * 1_000 }
        percentile99 = recent.quantile(0.99).map { $0 * 1_000 }
        (self.streams, self.isOnCluster) = (streams, isOnCluster)
        store = statistics.map {
            StoreFigures(
                state: "\($0.state)", keys: $0.keys, logBytes: $0.logBytes, snapshotBytes: $0.snapshotBytes,
                indexBytes: $0.indexBytes, commits: $0.commits, syncs: $0.syncs)
        }
    }
}
