#if Service
internal import Heartwood
internal import Metrics

/// The metrics of one store. Documentation/Services.md lists them.
///
/// Syncs, compactions and recovery are recorded when they happen. What a put does is counted by the store, and only the
/// difference is reported here, so that a put costs nothing more.
struct StoreMetrics: Sendable {
    let slowSyncs: Counter
    private let syncDuration: Timer
    private let syncBatches: Recorder
    private let syncBytes: Recorder
    private let compactions: (completed: Counter, failed: Counter)
    private let compactionDuration: Timer
    private let recovery: (seconds: Gauge, bytesPerSecond: Gauge)
    private let counters: StoreCounters
    private let gauges: StoreGauges

    init(_ factory: any MetricsFactory, name: String) {
        let make = MetricsMaker(factory: factory, store: name)
        slowSyncs = make.counter("sync.slow")
        syncDuration = make.timer("sync.duration")
        syncBatches = make.recorder("sync.batches")
        syncBytes = make.recorder("sync.bytes")
        compactions = (
            make.counter("compactions", ("outcome", "completed")), make.counter("compactions", ("outcome", "failed"))
        )
        compactionDuration = make.timer("compaction.duration")
        recovery = (make.gauge("recovery.seconds"), make.gauge("recovery.bytes_per_second"))
        counters = StoreCounters(make)
        gauges = StoreGauges(make)
    }

    func observe(_ event: StoreEvent) {
        switch event {
        case .synced(let duration, let batches, let bytes):
            syncDuration.record(duration: duration)
            syncBatches.record(batches)
            syncBytes.record(bytes)
        case .compacted(let report) where report.replacedBytes > 0:
            compactions.completed.increment()
            compactionDuration.record(duration: report.duration)
        case .compactionFailed(let error) where error.code != .cancelled && error.code != .closed:
            compactions.failed.increment()
        case .recovered(let report):
            let bytes = report.bytes + (report.snapshot?.bytes ?? 0)
            let seconds = report.duration / .seconds(1)
            recovery.seconds.record(seconds)
            recovery.bytesPerSecond.record(seconds > 0 ? Double(bytes) / seconds : 0)
        default: break
        }
    }

    func report(_ statistics: Store.Statistics) {
        counters.report(statistics)
        gauges.report(statistics)
    }
}

/// Makes metrics with the labels and dimensions that all of them have.
struct MetricsMaker {
    let factory: any MetricsFactory
    let store: String

    func counter(_ label: String, _ dimension: (String, String)? = nil) -> Counter {
        Counter(label: "heartwood." + label, dimensions: dimensions(dimension), factory: factory)
    }

    func seconds(_ label: String) -> FloatingPointCounter {
        FloatingPointCounter(label: "heartwood." + label, dimensions: dimensions(nil), factory: factory)
    }

    func gauge(_ label: String, _ dimension: (String, String)? = nil) -> Gauge {
        Gauge(label: "heartwood." + label, dimensions: dimensions(dimension), factory: factory)
    }

    func recorder(_ label: String) -> Recorder {
        Recorder(label: "heartwood." + label, dimensions: dimensions(nil), factory: factory)
    }

    func timer(_ label: String) -> Timer {
        Timer(label: "heartwood." + label, dimensions: dimensions(nil), factory: factory)
    }

    private func dimensions(_ other: (String, String)?) -> [(String, String)] {
        [("store", store)] + (other.map { [$0] } ?? [])
    }
}
#endif
