import CoreMetrics
import HTTPTypes
import Heartwood
import HummingbirdTesting
import Testing

@testable import collector

@Suite struct MetricsTests {
    @Test func metricsAreWrittenAsPrometheusReadsThem() {
        let registry = MetricsRegistry()
        registry.makeCounter(label: "my.requests", dimensions: [("http.method", "GET"), ("path", "a\"b\\c\nd")])
            .increment(by: 3)
        registry.makeFloatingPointCounter(label: "work", dimensions: []).increment(by: 1.5)
        registry.makeMeter(label: "9temperature", dimensions: []).set(-2.5)
        registry.makeRecorder(label: "gauge", dimensions: [], aggregate: false).record(Int64(7))
        let timer = registry.makeTimer(label: "duration", dimensions: [("route", "/")])
        for milliseconds in [1, 3, 60_000] { timer.recordNanoseconds(Int64(milliseconds) * 1_000_000) }
        let lines = registry.text.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(5) == [
                "# TYPE _9temperature gauge", "_9temperature -2.5", "# TYPE duration_seconds histogram",
                #"duration_seconds_bucket{route="/",le="0.0005"} 0"#,
                #"duration_seconds_bucket{route="/",le="0.001"} 1"#,
            ])
        for line in [
            #"duration_seconds_bucket{route="/",le="0.002"} 1"#, #"duration_seconds_bucket{route="/",le="0.005"} 2"#,
            #"duration_seconds_bucket{route="/",le="10"} 2"#, #"duration_seconds_bucket{route="/",le="+Inf"} 3"#,
            #"duration_seconds_sum{route="/"} 60.004"#, #"duration_seconds_count{route="/"} 3"#, "gauge 7",
            "# TYPE my_requests_total counter", #"my_requests_total{http_method="GET",path="a\"b\\c\nd"} 3"#,
            "work_total 1.5",
        ] { #expect(lines.contains(line), "\(line) isn't in \(lines)") }
        #expect(registry.text.hasSuffix("\n"))
    }

    @Test func aSeriesHasItsLabelsAndOneKind() {
        let registry = MetricsRegistry()
        let first = registry.makeCounter(label: "a", dimensions: [("x", "1"), ("y", "2")])
        #expect(first === registry.makeCounter(label: "a", dimensions: [("y", "2"), ("x", "1")]))
        registry.destroyCounter(first)
        #expect(first !== registry.makeCounter(label: "a", dimensions: [("x", "1"), ("y", "2")]))
        registry.makeMeter(label: "b_total", dimensions: []).set(Int64(1))
        registry.makeCounter(label: "b", dimensions: []).increment(by: 5)
        #expect(registry.text.hasSuffix("# TYPE b_total gauge\nb_total 1\n"))
    }

    @Test func labelsDoNotFillTheMemory() {
        let registry = MetricsRegistry()
        for index in 0..<10_000 {
            registry.makeCounter(label: "a", dimensions: [("x", "\(index)")]).increment(by: 1)
        }
        #expect(registry.text.split(separator: "\n").count == MetricsRegistry.maximumSeries + 2)
        #expect(registry.text.contains(#"a_total{x="other"} \#(10_000 - MetricsRegistry.maximumSeries)"#))
    }

    @Test func quantilesAreWithinTheirBucket() throws {
        let metric = Metric(.histogram, [1, 2, 4])
        func quantile(_ share: Double, since earlier: Metric.Reading) -> Double? {
            metric.reading.quantile(share, since: earlier, bounds: metric.bounds)
        }
        let start = metric.reading
        #expect(quantile(0.5, since: start) == nil)
        for _ in 0..<90 { metric.record(0.5) }
        for _ in 0..<10 { metric.record(3.0) }
        #expect(try #require(quantile(0.5, since: start)) <= 1)
        #expect((2...4).contains(try #require(quantile(0.99, since: start))))
        metric.record(Double.nan)
        let before = metric.reading
        #expect(before.counts.reduce(0, +) == 100)
        metric.record(100.0)
        #expect(quantile(0.5, since: before) == 4)
    }

    @Test func requestsAndEventsAreCounted() async throws {
        try await Fixture(on: .inMemory()).run { client, _, _ in
            for _ in 0..<2 {
                _ = try await client.post("{\"type\":\"a\"}\n{\"type\":\"b\"}\n{\"type\":\"a\"}", key: "k")
            }
            _ = try await client.post("nothing")
            let metrics = try await client.read("/metrics")
            #expect(metrics.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            func requests(_ status: Int) -> String {
                #"hb_requests_total{http_request_method="POST",http_response_status_code="\#(status)","#
                    + #"http_route="/events"}"#
            }
            for line in [
                #"collector_events_total{type="a"} 2"#, #"collector_events_total{type="b"} 1"#,
                "collector_ingest_replays_total 1", requests(201) + " 2", requests(400) + " 1",
            ] { #expect(metrics.text.contains(line + "\n"), "\(line) isn't in \(metrics.text)") }
        }
    }
}
