#if Service
internal import CoreMetrics
internal import Heartwood
internal import Synchronization

/// The counters that the store keeps itself, reported by their differences.
final class StoreCounters: Sendable {
    private let integers: [(counter: Counter, value: @Sendable (Store.Statistics) -> UInt64)]
    private let durations: [(counter: FloatingPointCounter, value: @Sendable (Store.Statistics) -> Duration)]
    private let reported: Mutex<Store.Statistics?>

    init(_ make: MetricsMaker) {
        integers = [
            (make.counter("records"), \.records),
            (make.counter("batches"), \.batches),
            (make.counter("accepted.bytes"), \.acceptedBytes),
            (make.counter("commits"), \.commits),
            (make.counter("log.written.bytes"), \.writtenBytes),
            (make.counter("compaction.written.bytes"), \.compaction.writtenBytes),
            (make.counter("syncs"), \.syncs),
            (make.counter("segments"), \.rotations),
        ]
        durations = [
            (make.seconds("writers.waited.seconds"), \.roomWaits),
            (make.seconds("log.throttled.seconds"), \.throttling),
        ]
        reported = Mutex(nil)
    }

    func report(_ statistics: Store.Statistics) {
        let before = reported.withLock { reported in
            defer { reported = statistics }
            return reported
        }
        for (counter, value) in integers {
            counter.increment(by: value(statistics) - (before.map(value) ?? 0))
        }
        for (counter, value) in durations {
            counter.increment(by: (value(statistics) - (before.map(value) ?? .zero)) / .seconds(1))
        }
    }
}
#endif
