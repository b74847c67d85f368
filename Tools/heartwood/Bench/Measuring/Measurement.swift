/// What one figure came to.
struct Measurement: Sendable {
    let figure: BenchFigure
    /// Syncs, puts, gets or records.
    let operations: Int
    let seconds: Double
    /// Where each operation was timed by itself.
    var latencies: LatencyHistogram?

    init(_ figure: BenchFigure, _ operations: Int, nanoseconds: UInt64, latencies: LatencyHistogram? = nil) {
        self.figure = figure
        self.operations = operations
        seconds = Ticks.seconds(nanoseconds)
        self.latencies = latencies
    }

    var perSecond: Double { Double(operations) / max(seconds, 1e-9) }
}
