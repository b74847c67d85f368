import CoreMetrics
import HeartwoodFileSystem
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CollectorService

@Suite struct MetricsTests {
    @Test func metricsAreWrittenAsPrometheusReadsThem() {
        let registry = MetricsRegistry()
        registry.makeCounter(label: "my.requests", dimensions: [("http.method", "GET"), ("path", "a\"b\\c\nd")])
            .increment(by: 3)
        registry.makeFloatingPointCounter(label: "work", dimensions: []).increment(by: 1.5)
        registry.makeMeter(label: "9temperature", dimensions: []).set(-2.5)
        registry.makeRecorder(label: "gauge", dimensions: [], aggregate: false).record(Int64(7))
        let timer = registry.makeTimer(label: "duration", dimensions: [("route", "/")])
        timer.recordNanoseconds(1_000_000)
        timer.recordNanoseconds(3_000_000)
        timer.recordNanoseconds(60_000_000_000)
        let text = PrometheusText.text(registry)
        let expected = """
            # TYPE _9temperature gauge
            _9temperature -2.5
            # TYPE duration_seconds histogram
            duration_seconds_bucket{route="/",le="0.0005"} 0
            duration_seconds_bucket{route="/",le="0.001"} 1
            duration_seconds_bucket{route="/",le="0.002"} 1
            duration_seconds_bucket{route="/",le="0.005"} 2
            """
        #expect(text.hasPrefix(expected), "\(text)")
        let lines = text.split(separator: "\n").map(String.init)
        for line in [
            #"duration_seconds_bucket{route="/",le="10"} 2"#, #"duration_seconds_bucket{route="/",le="+Inf"} 3"#,
            #"duration_seconds_sum{route="/"} 60.004"#, #"duration_seconds_count{route="/"} 3"#, "gauge 7",
            "# TYPE my_requests_total counter", #"my_requests_total{http_method="GET",path="a\"b\\c\nd"} 3"#,
            "work_total 1.5",
        ] { #expect(lines.contains(line), "\(line) isn't in \(text)") }
        #expect(text.hasSuffix("\n"))
    }

    @Test func theSameLabelsAreTheSameSeries() {
        let registry = MetricsRegistry()
        let first = registry.makeCounter(label: "a", dimensions: [("x", "1"), ("y", "2")])
        let second = registry.makeCounter(label: "a", dimensions: [("y", "2"), ("x", "1")])
        #expect(first === second)
        registry.destroyCounter(first)
        #expect(registry.makeCounter(label: "a", dimensions: [("x", "1"), ("y", "2")]) !== first)
    }

    @Test func labelsDoNotFillTheMemory() {
        let registry = MetricsRegistry()
        for index in 0..<10_000 {
            registry.makeCounter(label: "a", dimensions: [("x", "\(index)")]).increment(by: 1)
        }
        let text = PrometheusText.text(registry)
        #expect(text.split(separator: "\n").count == MetricsRegistry.maximumSeries + 2)
        #expect(text.contains(#"a_total{x="other"} \#(10_000 - MetricsRegistry.maximumSeries)"#))
    }

    @Test func aNameHasOneKind() {
        let registry = MetricsRegistry()
        registry.makeMeter(label: "a_total", dimensions: []).set(Int64(1))
        registry.makeCounter(label: "a", dimensions: []).increment(by: 5)
        #expect(PrometheusText.text(registry) == "# TYPE a_total gauge\na_total 1\n")
    }

    @Test func quantilesAreWithinTheirBucket() throws {
        var histogram = Histogram(bounds: [1, 2, 4])
        #expect(histogram.quantile(0.5) == nil)
        for _ in 0..<90 { histogram.add(0.5) }
        for _ in 0..<10 { histogram.add(3) }
        #expect(try #require(histogram.quantile(0.5)) <= 1)
        #expect((2...4).contains(try #require(histogram.quantile(0.99))))
        histogram.add(.nan)
        #expect(histogram.count == 100)
        let before = histogram
        histogram.add(100)
        #expect(histogram.since(before).count == 1)
        #expect(histogram.since(before).quantile(0.5) == 4)
    }

    @Test func requestsAndEventsAreCounted() async throws {
        try await Fixture(on: InMemoryFileSystem()).run { client, _ in
            _ = try await client.post("{\"type\":\"a\"}\n{\"type\":\"b\"}\n{\"type\":\"a\"}", key: "k")
            _ = try await client.post("{\"type\":\"a\"}\n{\"type\":\"b\"}\n{\"type\":\"a\"}", key: "k")
            _ = try await client.post("nothing")
            let metrics = try await client.read("/metrics")
            let requests = "hb_requests_total"
            #expect(metrics.headers[.contentType] == PrometheusText.contentType)
            for line in [
                #"collector_events_total{type="a"} 2"#, #"collector_events_total{type="b"} 1"#,
                "collector_ingest_replays_total 1", "collector_store_ready 1",
                requests + #"{http_request_method="POST",http_response_status_code="201",http_route="/events"} 2"#,
                requests + #"{http_request_method="POST",http_response_status_code="400",http_route="/events"} 1"#,
            ] { #expect(metrics.text.contains(line + "\n"), "\(line) isn't in \(metrics.text)") }
        }
    }
}
