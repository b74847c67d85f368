/// A row of the table with all that its cells need: engines, work and data.
struct Row: Sendable {
    var info: RowInfo
    var work: Work
    var engines: [EngineID]
    /// How the store is opened.
    var use: EngineUse
    /// The filled store that a cell starts from; nil for an empty store.
    var fixture: Fixture?
    /// Whether each run gets a copy of the fixture, because it changes the store.
    var copiesFixture = false
    var contents = Dataset.Contents.random
    var order = KeySource.Order.random
    /// Seconds of a run, and the number of runs.
    var seconds: Double
    var runs: Int
    /// The plans that measure it by default.
    var plans: Set<PlanName>
    /// The row whose runs also count for this row, which shows another figure of the same work.
    var source: String?

    var id: String { info.id }

    /// The keys and values of its cells.
    func dataset(seed: UInt64) -> Dataset {
        Dataset(seed: seed, keyCount: info.keys, valueBytes: info.valueBytes, contents: contents, order: order)
    }
}

/// How many rows are measured, and for how long.
enum PlanName: String, Sendable, Codable, CaseIterable {
    case quick
    case `default`
    case full
}

/// What a cell does. Each case is a workload that is generic over the engine; `CellRunner` calls it with the engine.
enum Work: Sendable {
    case write(Writing)
    case get(Getting)
    case scan(Scanning)
    case seek(Seeking)
    case readWhileWriting(ReadingWhileWriting)
    case ycsb(YCSBWork)
    case recover(Recovering)
    case pace(PacedWriting)
    case amplify(Amplifying)
    case remember(Remembering)
    case damage(Damaging)
    case typed(TypedWork)
    case jobs(JobsWork)
    case heartwood(HeartwoodWork)
}
