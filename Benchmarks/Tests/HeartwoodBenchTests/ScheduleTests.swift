import Testing

@testable import heartwood_bench

struct ScheduleTests {
    private static func rows(_ ids: [String], runs: Int = 3) throws -> [Row] {
        var parameters = Parameters(.full)
        parameters.runs = runs
        let catalogue = Catalogue(parameters)
        return try ids.map { try catalogue.row($0) }
    }

    @Test func runsAlternateAndEnginesRotate() throws {
        let steps = Schedule.steps(try Self.rows(["readrandom"], runs: 2), engines: [.heartwood, .lmdb, .raw])
        #expect(steps.map(\.engine) == [.heartwood, .lmdb, .raw, .lmdb, .raw, .heartwood])
        #expect(steps.map(\.run) == [0, 0, 0, 1, 1, 1])
    }

    @Test func workWithSeveralFiguresIsMeasuredOnce() throws {
        let rows = try Self.rows(["write-amplification", "space-amplification"], runs: 1)
        #expect(Schedule.steps(rows, engines: [.heartwood]).map(\.row) == ["write-amplification"])
        #expect(
            try Catalogue(Parameters(.quick)).select(["space-amplification"]).map(\.id).contains("write-amplification"))
    }

    @Test func completedStepsAreNotRepeated() throws {
        let steps = Schedule.steps(try Self.rows(["readrandom"], runs: 2), engines: [.heartwood, .lmdb])
        let run = CellResult.Run(operations: 1, seconds: 1, bytes: 1)
        let cells = [
            CellResult(row: "readrandom", engine: "heartwood", runs: [run]),
            CellResult(row: "readrandom", engine: "lmdb", runs: [run], failure: "it crashed"),
        ]
        #expect(Schedule.remaining(steps, after: cells) == [Step(row: "readrandom", engine: .heartwood, run: 1)])
        #expect(Schedule.remaining(steps, after: []) == steps)
    }

    @Test func remainingTimeIsCorrectedByTheElapsedTime() {
        let estimates = [Double](repeating: 100, count: 10)
        let asEstimated = ProgressLine.secondsLeft(estimates, step: 5, elapsed: 500, ofStep: 0)
        #expect(abs(asEstimated - 500) < 1)
        let slower = ProgressLine.secondsLeft(estimates, step: 5, elapsed: 1_000, ofStep: 0)
        #expect(slower > 900 && slower < 1_000)
        #expect(ProgressLine.secondsLeft(estimates, step: 9, elapsed: 2_000, ofStep: 1_100) >= 0)
    }
}
