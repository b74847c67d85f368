#if Service
internal import CoreMetrics
internal import Heartwood
internal import Logging
internal import Synchronization

/// What a service makes of the store's events and statistics: metrics, spans, log lines, and the end.
final class Instruments: Sendable {
    let spans: StoreSpans
    private let metrics: StoreMetrics?
    private let options: StoreService.Options
    private let name: String
    private let slow = Mutex((count: 0, longest: Duration.zero))
    private let ends: (stream: AsyncStream<StoreError>, continuation: AsyncStream<StoreError>.Continuation)

    init(_ options: StoreService.Options, name: String) {
        (self.options, self.name) = (options, name)
        spans = StoreSpans(options.tracer, name: name)
        metrics = options.metrics.map { StoreMetrics($0, name: name) }
        ends = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Called on the threads of the store.
    func observe(_ event: StoreEvent) {
        spans.observe(event)
        metrics?.observe(event)
        switch event {
        case .synced(let duration, _, _) where duration >= options.slowSync:
            metrics?.slowSyncs.increment()
            slow.withLock { $0 = ($0.count + 1, max($0.longest, duration)) }
        case .failed(let error): ends.continuation.yield(error)
        case .closed:
            ends.continuation.yield(
                StoreError(.closed, "the store was closed while its service ran: let the service close it"))
            ends.continuation.finish()
        default: break
        }
    }

    /// Reports what is counted rather than observed.
    func report(_ statistics: Store.Statistics) {
        metrics?.report(statistics)
        let slow = slow.withLock { slow in
            defer { slow = (0, .zero) }
            return slow
        }
        guard slow.count > 0 else { return }
        options.logger?.info(
            "the disk was slow",
            metadata: ["store": "\(name)", "slow-syncs": "\(slow.count)", "longest": "\(slow.longest)"])
    }

    /// Waits until the store has failed or was closed, and returns the reason; nil if the task is cancelled.
    func end() async -> StoreError? {
        for await reason in ends.stream { return reason }
        return nil
    }
}
#endif
