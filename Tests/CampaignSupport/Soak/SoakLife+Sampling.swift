internal import Heartwood
import Synchronization

extension SoakLife {
    struct Measured: Sendable {
        var samples: [SoakSample] = []
        /// The times at which compactions ended.
        var compactions: [Double] = []
    }

    /// Measures once a second until the opening ends.
    func sample(
        since start: ContinuousClock.Instant, _ path: String, _ report: @Sendable (Int, SoakSample?) -> Void
    ) async -> Measured {
        var measured = Measured()
        var completed: UInt64 = 0
        var next = ContinuousClock.now + .seconds(1)
        _ = meter.takeLatencies()
        while !isOver {
            await rest(milliseconds: 50)
            let statistics = store.statistics
            let time = (ContinuousClock.now - start) / .seconds(1)
            for _ in completed..<max(completed, statistics.compaction.completed) { measured.compactions.append(time) }
            completed = max(completed, statistics.compaction.completed)
            guard ContinuousClock.now >= next else { continue }
            next += .seconds(1)
            let sample = SoakSample(
                time: time, memory: ProcessFigures.residentBytes, disk: ProcessFigures.diskBytes(of: path),
                latencies: meter.takeLatencies())
            measured.samples.append(sample)
            report(meter.operations, sample)
        }
        return measured
    }
}
