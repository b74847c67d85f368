/// What a run of the program was asked for: the rows follow from it, in the parent and in its children.
struct Parameters: Sendable, Codable, Hashable {
    var plan: PlanName
    /// Keys of a store, but for rows that say otherwise.
    var keys: Int
    /// Seconds of a run, and of a durable one.
    var seconds: Double
    var durableSeconds: Double
    var runs: Int
    var seed: UInt64 = 42

    /// The plan as it comes.
    init(_ plan: PlanName) {
        self.plan = plan
        switch plan {
        case .quick: (keys, seconds, durableSeconds, runs) = (200_000, 0.5, 1, 1)
        case .default: (keys, seconds, durableSeconds, runs) = (300_000, 1, 3, 2)
        case .full: (keys, seconds, durableSeconds, runs) = (1_000_000, 3, 20, 3)
        }
    }
}
