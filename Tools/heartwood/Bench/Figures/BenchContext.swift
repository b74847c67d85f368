internal import Heartwood

/// What every figure is measured with.
struct BenchContext: Sendable {
    let options: BenchOptions
    let plan: BenchPlan
    let directory: BenchDirectory
    let values: BenchValues

    /// Starts now, for a figure or this share of one.
    func stopwatch(share: Double = 1) -> Stopwatch { Stopwatch(seconds: options.seconds * share) }
}

extension Store.Configuration {
    /// The defaults, but without compaction, which would be part of the figures.
    static func forBench(_ reading: BenchFigure.Reading = .pread) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        configuration.valueReading = reading == .mapped ? .mapped : .positioned
        return configuration
    }
}
