/// A row of the table with all that its cells need: which engines, what work, on what data.
struct Row: Sendable {
    var info: RowInfo
    var work: Work
    var engines: [EngineID]
    /// What the store is opened with.
    var use: EngineUse
    /// The filled store that a cell starts from; nil for an empty one.
    var fixture: Fixture?
    /// Whether cells change the fixture, so that each gets a copy.
    var copiesFixture = false
    var contents = Dataset.Contents.random
    var order = KeySource.Order.random
    /// How long a run of it takes, and how many there are.
    var seconds: Double
    var runs: Int
    /// The plans that measure it by default.
    var plans: Set<PlanName>
    /// The row whose runs are this one's too: another figure of the same work.
    var source: String?

    var id: String { info.id }

    /// The keys and values of its cells.
    func dataset(seed: UInt64) -> Dataset {
        Dataset(seed: seed, keyCount: info.keys, valueBytes: info.valueBytes, contents: contents, order: order)
    }
}

/// How much is measured.
enum PlanName: String, Sendable, Codable, CaseIterable {
    case quick
    case `default`
    case full
}

/// What a cell does. Each case is a workload, which is generic over the engine; `CellRunner` brings the two together.
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
    case heartwood(HeartwoodWork)
}
