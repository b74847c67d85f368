internal import Testing

@testable internal import heartwood_tool

@Suite("bench: the plan, and what is reported")
struct BenchPlanTests {
    private func plan(_ seconds: Double = 2, _ records: Int = 200_000, _ valueBytes: Int = 100) -> BenchPlan {
        BenchPlan(BenchOptions(seconds: seconds, records: records, valueBytes: valueBytes))
    }

    private func report(raw: Double, disk: String?) -> BenchReport {
        BenchReport(
            path: "d", plan: plan(), disk: disk.map { MountedFileSystem(kind: $0) },
            measurements: [
                Measurement(.raw, Int(raw), nanoseconds: 1_000_000_000),
                Measurement(.fillsync(tasks: 64), Int(raw * 3), nanoseconds: 1_000_000_000),
                Measurement(.fillbatch, 5, nanoseconds: 1_000_000_000),
            ], seconds: 3)
    }

    @Test("figures that read follow the filling that they read, and each figure has its own name")
    func order() throws {
        let figures = plan().figures
        #expect(figures.first == .raw)
        let lastFilling = try #require(
            figures.lastIndex { if case .fillrandom = $0 { true } else { $0 == .fillbatch } })
        for figure in [BenchFigure.readrandom(.pread), .readrandom(.mapped), .readseq, .recovery] {
            #expect(try #require(figures.firstIndex(of: figure)) > lastFilling)
        }
        #expect(Set(figures.map(\.name)).count == figures.count)
        #expect(Set(figures.map(\.title)).count == figures.count)
    }

    @Test("the space is enough for the largest store, and doesn't overflow")
    func space() {
        #expect(plan().neededBytes < 1 << 30)
        #expect(plan(60).neededBytes > 60 << 28)
        #expect(plan(2, 100_000_000, 1_000).neededBytes > 100_000_000 * 1_016)
        #expect(plan(0.05, 1, 8).neededBytes > plan().durableLogLimit / 2)
        let largest = plan(
            BenchOptions.secondsRange.upperBound, BenchOptions.recordRange.upperBound,
            BenchOptions.valueRange.upperBound)
        #expect(largest.neededBytes > 100_000_000 << 18)
    }

    @Test("a durable figure writes no more than there is space for", arguments: [8, 100, 256 << 10])
    func durablePuts(valueBytes: Int) {
        for seconds in [0.01, 2, 600] {
            let plan = plan(seconds, 1, valueBytes)
            for case .fillsync(let tasks) in plan.figures {
                let puts = plan.durablePuts(tasks: tasks) * tasks
                #expect(puts >= tasks && UInt64(puts * (valueBytes + 16)) < plan.neededBytes)
            }
        }
    }

    @Test("syncs that are too fast, and memory, cause a warning")
    func warnings() {
        #expect(report(raw: 12_000, disk: "ext4").warnings.isEmpty)
        #expect(report(raw: 12_000, disk: nil).warnings.isEmpty)
        #expect(report(raw: 50_001, disk: "ext4").warnings.first?.contains("50,001 syncs") == true)
        for memory in ["tmpfs", "ramfs"] {
            #expect(report(raw: 900_000, disk: memory).warnings.first?.contains(memory) == true)
        }
    }

    @Test("only durable puts are compared with the raw syncs")
    func ratio() {
        let report = report(raw: 1_000, disk: nil)
        #expect(report.measurements.map(report.timesRaw) == [nil, 3, nil])
        #expect(!report.isComplete)
    }

    @Test(
        "latencies are shown with three digits",
        arguments: [
            (0, "0.00 µs"), (980, "0.98 µs"), (9_994, "9.99 µs"), (9_996, "10.0 µs"), (98_234, "98.2 µs"),
            (999_400, "999 µs"), (999_600, "1.00 ms"), (12_340_000, "12.3 ms"), (2_051_000_000, "2.05 s"),
        ] as [(UInt64, String)])
    func latencies(nanoseconds: UInt64, text: String) {
        #expect(BenchReport.latency(nanoseconds) == text)
    }
}
