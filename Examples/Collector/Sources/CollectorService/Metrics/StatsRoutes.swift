import AsyncAlgorithms
import Foundation
import Heartwood
import Hummingbird
import NIOCore

/// `GET /stats`, `/stats/stream`, `/metrics`.
struct StatsRoutes {
    let sampler: StatsSampler
    let registry: MetricsRegistry
    /// Nil without a store, and on a cluster.
    let files: Store?
    let summaries: Summaries?
    let events: ServerSentEvents

    func add(to group: RouterGroup<CollectorContext>) {
        group.get("/stats") { _, _ in Response.json(Array(try JSONEncoder().encode(sampler.samples))) }
        group.get("/stats/stream") { request, context in try stream(request, context) }
        group.get("/metrics") { _, _ in await metrics() }
    }

    private func stream(_ request: Request, _ context: CollectorContext) throws -> Response {
        try events.response(to: request, context) { output in
            for await sample in sampler.listen() {
                let json = String(decoding: try JSONEncoder().encode(sample), as: UTF8.self)
                await output.send(ByteBuffer(string: "data: \(json)\n\n"))
            }
        }
    }

    private func metrics() async -> Response {
        if let files { Self.update(registry, files.statistics) }
        // The other metrics are there when the store is closed.
        if let summaries { try? await JobMetrics(registry: registry).update(summaries.queue) }
        registry.gauge("collector.streams").set(Double(events.slots.count))
        return Response(
            status: .ok, headers: [.contentType: PrometheusText.contentType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: PrometheusText.text(registry))))
    }

    private static func update(_ registry: MetricsRegistry, _ statistics: Store.Statistics) {
        registry.gauge("collector.store.ready").set(statistics.state == .ready ? 1.0 : 0)
        registry.gauge("collector.store.keys").set(Double(statistics.keys))
        registry.gauge("collector.store.log.bytes").set(Double(statistics.logBytes))
        registry.gauge("collector.store.snapshot.bytes").set(Double(statistics.snapshotBytes))
        registry.gauge("collector.store.index.bytes").set(Double(statistics.indexBytes))
        registry.gauge("collector.store.live.bytes").set(Double(statistics.liveBytes))
        registry.gauge("collector.store.segments").set(Double(statistics.segments))
        registry.gauge("collector.store.commits").set(Double(statistics.commits))
        registry.gauge("collector.store.syncs").set(Double(statistics.syncs))
    }
}
