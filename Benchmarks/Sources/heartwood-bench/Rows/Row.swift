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
    /// Whether values are JSON documents of about 700 bytes, not random bytes, which are incompressible.
    var hasDocuments = false
    var order = KeySource.Order.random
    /// Seconds of a run, and the number of runs.
    var seconds: Double
    var runs: Int
    /// The plans that measure it by default.
    var plans: Set<PlanName>
    /// The row whose runs also count for this row, which shows another figure of the same work.
    var source: String?

    var id: String { info.id }
}

/// What a cell does.
enum Work: Sendable {
    case write(Writing)
    case get(Getting)
    case scan(isBackwards: Bool)
    case seek
    case readWhileWriting
    case ycsb(YCSBMix)
    /// An opening after that many puts of each key.
    case recover(rounds: Int)
    case pace(rate: Int)
    case amplify(Amplifying)
    case remember
    case damage(changes: Int)
    case typed(TypedWork)
    /// That many jobs at once.
    case jobs(batch: Int)
    /// What only Heartwood does: for figures in its documents, and for the cost of the harness.
    case own(@Sendable (Cell) async throws -> Measured)
}

/// How many rows are measured, and for how long.
enum PlanName: String, Sendable, Codable, CaseIterable {
    case quick
    case `default`
    case full
}

/// The parameters of a run of the program. They determine the rows, in the parent and in its children.
struct Parameters: Sendable, Codable, Hashable {
    var plan: PlanName
    /// Keys of a store, except in rows that set another number.
    var keys: Int
    /// Seconds of a run, and of a run with durable writes.
    var seconds: Double
    var durableSeconds: Double
    var runs: Int
    var seed: UInt64 = 42

    /// The defaults of a plan.
    init(_ plan: PlanName) {
        self.plan = plan
        switch plan {
        case .quick: (keys, seconds, durableSeconds, runs) = (200_000, 0.5, 1, 1)
        case .default: (keys, seconds, durableSeconds, runs) = (300_000, 1, 3, 2)
        case .full: (keys, seconds, durableSeconds, runs) = (1_000_000, 3, 20, 3)
        }
    }
}
