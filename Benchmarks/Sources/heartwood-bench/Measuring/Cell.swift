/// A workload with what its runs came to.
struct Cell: Sendable {
    let workload: any Workload
    private(set) var samples: [Sample] = []
    /// The latencies of all runs together.
    private(set) var latencies: Latencies?

    init(_ workload: any Workload) { self.workload = workload }

    mutating func add(_ sample: Sample) {
        if let more = sample.latencies {
            if latencies == nil { latencies = more } else { latencies!.add(more) }
        }
        samples.append(sample)
    }

    /// The rate in the middle, with the lowest and the highest; nil before the first run.
    var rate: Spread? { Spread(samples.map(\.rate)) }
    /// Syncs of the disk a second.
    var syncRate: Spread? {
        Spread(samples.compactMap { sample in sample.sharing.map { Double($0.syncs) / sample.seconds } })
    }
    /// How many writes shared a sync.
    var writesPerSync: Spread? {
        Spread(samples.compactMap(\.sharing).filter { $0.syncs > 0 }.map { Double($0.writes) / Double($0.syncs) })
    }
    /// What went on beside.
    var beside: Spread? { Spread(samples.compactMap(\.beside)) }
    /// Turns to a new log segment, in the run that had the fewest.
    var rotations: UInt64? { samples.compactMap(\.rotations).min() }
    /// Seconds that a whole takes at the median rate, where there are wholes.
    var wholeSeconds: Double? {
        guard let whole = samples.last?.whole, let rate = rate?.median, rate > 0 else { return nil }
        return Double(whole) / rate
    }
    /// What the index takes; it is the same in each run.
    var footprint: Footprint? { samples.last?.footprint }
    /// What else was measured; nil where it wasn't.
    func figure(_ figure: Figure) -> Spread? { Spread(samples.compactMap { $0.figures[figure] }) }
}

/// The median of some values, and how far they spread.
struct Spread: Sendable, Codable {
    var median: Double
    var minimum: Double
    var maximum: Double

    /// Whether the values differ so much that their median stands for nothing: by a factor of more than two.
    var isErratic: Bool { maximum > 2 * minimum }

    /// Nil where there are no values.
    init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }
}
