internal import Foundation
internal import Heartwood

/// The work of all workers of a run. Becomes a `CellResult.Run`.
struct Measured: Sendable {
    var operations = 0
    var seconds = 0.0
    var bytes: UInt64 = 0
    var latencies = LatencyHistogram()
    var isCorrected = false
    var figures: [Figure: Double] = [:]

    /// - Parameter bytesEach: Bytes of keys and values of one operation.
    init(_ operations: Int, since start: UInt64, to end: UInt64 = Ticks.now, bytesEach: Int = 0) {
        self.operations = operations
        seconds = Ticks.seconds(from: start, to: end)
        bytes = UInt64(operations * bytesEach)
    }

    /// - Parameters:
    ///   - watches: The stopwatches of the workers.
    ///   - start: When they began.
    ///   - bytesEach: Bytes of keys and values that a stopwatch has counted as one operation.
    ///   - batch: Operations that a stopwatch has counted as one.
    init(_ watches: [Stopwatch], since start: UInt64, bytesEach: Int, batch: Int = 1) {
        let count = watches.reduce(0) { $0 + $1.count }
        self.init(count, since: start, to: watches.map(\.end).max() ?? start, bytesEach: bytesEach)
        operations *= batch
        for watch in watches { latencies.add(watch.latencies) }
    }

    /// - Parameter paced: Steps at a fixed rate.
    init(paced: Pace.Steps, since start: UInt64, bytesEach: Int) {
        self.init(paced.count, since: start, to: paced.end, bytesEach: bytesEach)
        latencies = paced.latencies
        isCorrected = true
        figures[.stalls] = Double(paced.stalls.count)
    }

    /// Adds a repetition of the same work.
    mutating func add(_ other: Measured) {
        operations += other.operations
        seconds += other.seconds
        bytes += other.bytes
        latencies.add(other.latencies)
        figures.merge(other.figures) { $1 }
    }

    /// Adds what the process has used for the work.
    ///
    /// - Parameter mapped: Bytes written through a mapping, which the system doesn't count; nil if they aren't known.
    mutating func note(_ now: ProcessUse, since before: ProcessUse, mapped: UInt64? = 0) {
        if let peak = now.peakMemoryBytes { figures[.peakMemoryBytes] = Double(peak) }
        if operations > 0 {
            figures[.processorNanosecondsPerOperation] =
                Double(now.processorNanoseconds - before.processorNanoseconds) / Double(operations)
        }
        if bytes > 0, let mapped, let first = before.writtenBytes, let last = now.writtenBytes {
            figures[.writeAmplification] = Double(last - first + mapped) / Double(bytes)
        }
    }

    /// Adds Heartwood's own statistics, if the database is Heartwood's.
    mutating func noteHeartwood<D: Database>(_ database: D) {
        guard let statistics = database.heartwood?.statistics else { return }
        figures[.syncs] = Double(statistics.syncs)
        if statistics.syncs > 0 { figures[.writesPerSync] = Double(statistics.batches) / Double(statistics.syncs) }
        figures[.rotations] = Double(max(1, statistics.rotations) - 1)
        figures[.compactions] = Double(statistics.compaction.completed)
    }

    /// The run, for the results.
    var run: CellResult.Run {
        CellResult.Run(
            operations: operations, seconds: seconds, bytes: bytes,
            latency: latencies.count > 0 ? LatencyResult(latencies, isCorrected: isCorrected) : nil,
            figures: Dictionary(uniqueKeysWithValues: figures.map { ($0.key.rawValue, $0.value) }))
    }
}

extension LatencyResult {
    /// - Parameter isCorrected: Whether each operation was measured from the time at which it was due.
    init(_ latencies: LatencyHistogram, isCorrected: Bool) {
        self.init(
            count: latencies.count, mean: latencies.mean, p50: latencies.value(perMille: 500),
            p90: latencies.value(perMille: 900), p99: latencies.value(perMille: 990),
            p999: latencies.value(perMille: 999), p9999: latencies.percentile(99.99), maximum: latencies.maximum,
            isCorrected: isCorrected)
    }
}
