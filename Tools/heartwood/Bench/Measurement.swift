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

/// Which figure is being measured.
struct BenchStep: WorkReport {
    let plan: BenchPlan
    let figure: BenchFigure
    let index: Int

    var phase: Int { index }

    /// `fillsync, 64 tasks  figure 3 of 11`. All figures take equally long.
    func progress(phaseSeconds: Double, seconds: Double) -> Progress {
        let current = min(1, phaseSeconds / plan.options.seconds)
        return Progress(
            share: (Double(index) + current) / Double(plan.figures.count),
            parts: [figure.title, "figure \(index + 1) of \(plan.figures.count)"], seconds: seconds)
    }
}
