internal import HeartwoodConcurrency

/// The result of one figure.
struct Measurement: Sendable {
    let figure: BenchFigure
    /// Syncs, puts, gets or records.
    private(set) var operations: Int
    private(set) var seconds: Double
    /// Set if each operation was timed separately.
    private(set) var latencies: LatencyHistogram?

    init(_ figure: BenchFigure, _ operations: Int, nanoseconds: UInt64, latencies: LatencyHistogram? = nil) {
        self.figure = figure
        self.operations = operations
        seconds = Double(nanoseconds) / 1e9
        self.latencies = latencies
    }

    /// Adds another piece of the same figure.
    mutating func add(_ other: Measurement) {
        operations += other.operations
        seconds += other.seconds
        if let more = other.latencies { latencies?.add(more) }
    }

    var perSecond: Double { Double(operations) / max(seconds, 1e-9) }
}

/// Which figure is being measured. Set by the run, read by the progress bar.
final class BenchTally: Sendable {
    private struct State {
        var index = 0
        var figure: BenchFigure?
        var since: UInt64 = 0
    }

    private let plan: BenchPlan
    private let state = Locked(State())
    private let start = Ticks.now

    init(_ plan: BenchPlan) { self.plan = plan }

    func begin(_ figure: BenchFigure, index: Int) {
        state.withLock { $0 = State(index: index, figure: figure, since: Ticks.now) }
    }

    /// `fillsync, 64 tasks  figure 3 of 11`. All figures take equally long.
    var progress: Progress? {
        let state = state.withLock { $0 }
        guard let figure = state.figure else { return nil }
        let current = min(1, Ticks.seconds(from: state.since) / plan.options.seconds)
        return Progress(
            share: (Double(state.index) + current) / Double(plan.figures.count),
            parts: [figure.title, "figure \(state.index + 1) of \(plan.figures.count)"],
            seconds: Ticks.seconds(from: start))
    }
}
