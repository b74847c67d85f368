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
