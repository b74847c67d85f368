#if Service
public import CoreMetrics
internal import Heartwood
public import Logging
public import Tracing

extension StoreService {
    /// Where a service's metrics, traces and logs go.
    public struct Options: Sendable {
        /// The name of the store in metrics, traces and logs; nil is the last component of its path. Two stores of one
        /// program need two names.
        public var name: String?
        /// Where the store, and this service, log what can't be thrown, at level `info` and below, except the
        /// warning that the clock was set. Nil by default: nothing is logged.
        public var logger: Logger?
        /// Makes the metrics, when the service is opened; nil for none. The process's own by default.
        public var metrics: (any MetricsFactory)? = MetricsSystem.factory
        /// Makes spans of opening, recovery and compaction; nil for none. The process's own by default.
        public var tracer: (any Tracer)? = InstrumentationSystem.tracer
        /// The time between two reports of counters and gauges. 5 seconds by default; at least 10 milliseconds, at most
        /// 366 days.
        public var interval: Duration = .seconds(5) {
            didSet { interval = min(max(interval, .milliseconds(10)), .seconds(366 * 86_400)) }
        }
        /// The duration from which a sync is counted as slow, and logged once in an interval. 100 milliseconds by
        /// default.
        public var slowSync: Duration = .milliseconds(100)

        /// The defaults.
        public init() {}
    }
}
#endif
