internal import Foundation

/// The work of all workers of a run. Becomes a `CellResult.Run`.
struct Measured: Sendable {
    var operations = 0
    var seconds = 0.0
    var bytes: UInt64 = 0
    var latencies = Latencies()
    var isCorrected = false
    var figures: [Figure: Double] = [:]
    var timeline: [CellResult.Moment]?

    init() {}

    /// - Parameters:
    ///   - watches: The stopwatches of the workers.
    ///   - start: When they began.
    ///   - bytesEach: Bytes of keys and values of one operation.
    init(_ watches: [Stopwatch], since start: UInt64, bytesEach: Int) {
        operations = watches.reduce(0) { $0 + $1.count }
        seconds = Ticks.seconds(from: start, to: watches.map(\.end).max() ?? start)
        bytes = UInt64(operations * bytesEach)
        for watch in watches { latencies.add(watch.latencies) }
    }

    /// Adds a repetition of the same work.
    mutating func add(_ other: Measured) {
        operations += other.operations
        seconds += other.seconds
        bytes += other.bytes
        latencies.add(other.latencies)
        figures.merge(other.figures) { $1 }
    }

    /// The run, for the results.
    func run(started: Double) -> CellResult.Run {
        CellResult.Run(
            operations: operations, seconds: seconds, bytes: bytes,
            latency: latencies.result(isCorrected: isCorrected),
            figures: Dictionary(uniqueKeysWithValues: figures.map { ($0.key.rawValue, $0.value) }), timeline: timeline,
            started: started)
    }
}
