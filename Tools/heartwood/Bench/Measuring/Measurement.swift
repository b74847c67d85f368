/// The result of one figure.
struct Measurement: Sendable {
    let figure: BenchFigure
    /// Syncs, puts, gets or records.
    private(set) var operations: Int
    private(set) var seconds: Double
    /// Set if each operation was timed separately.
    var latencies: LatencyHistogram?

    init(_ figure: BenchFigure, _ operations: Int, nanoseconds: UInt64, latencies: LatencyHistogram? = nil) {
        self.figure = figure
        self.operations = operations
        seconds = Ticks.seconds(nanoseconds)
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
