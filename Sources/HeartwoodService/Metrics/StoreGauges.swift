#if Service
internal import CoreMetrics
internal import Heartwood

/// What the store holds now.
struct StoreGauges: Sendable {
    private let values: [(gauge: Gauge, value: @Sendable (Store.Statistics) -> UInt64)]
    /// One for each state: 1 for the current one, otherwise 0, as Prometheus has state sets.
    private let states: [(gauge: Gauge, state: Store.State)]

    init(_ make: MetricsMaker) {
        func gauge<Value: BinaryInteger & SendableMetatype>(
            _ label: String, _ value: @escaping @Sendable (Store.Statistics) -> Value
        ) -> (Gauge, @Sendable (Store.Statistics) -> UInt64) {
            (make.gauge(label), { UInt64(value($0)) })
        }
        values = [
            gauge("index.keys", \.keys), gauge("index.bytes", \.indexBytes),
            gauge("live.bytes", \.liveBytes), gauge("log.bytes", \.logBytes),
            gauge("snapshot.bytes", \.snapshotBytes), gauge("log.retained.bytes", \.retainedLogBytes),
            gauge("pinned.files", \.pinnedFiles), gauge("feeds", \.feeds), gauge("feed.lag", \.feedLag),
            gauge("time.ahead.seconds") { $0.timeAhead.components.seconds },
        ]
        states = [(.ready, "ready"), (.outOfSpace, "out_of_space"), (.failed, "failed"), (.closed, "closed")]
            .map { (state: Store.State, name: String) in (make.gauge("state", ("state", name)), state) }
    }

    func report(_ statistics: Store.Statistics) {
        for (gauge, value) in values { gauge.record(value(statistics)) }
        for (gauge, state) in states { gauge.record(statistics.state == state ? 1 : 0) }
    }
}
#endif
