/// What a workload is meant to reach.
enum Target: Sendable {
    /// That many operations a second.
    case perSecond(Double)
    /// That many times the rate of the raw loop of the same run.
    case timesRaw(Double)

    /// Whether it is reached; nil where there is nothing to compare with.
    func isReached(rate: Double, timesRaw: Double?) -> Bool? {
        switch self {
        case .perSecond(let wanted): rate >= wanted
        case .timesRaw(let wanted): timesRaw.map { $0 >= wanted }
        }
    }
}
