/// What a workload is meant to reach.
enum Target: Sendable {
    /// That many operations a second.
    case perSecond(Double)
    /// That many times the rate of the raw loop of the same run.
    case timesRaw(Double)
    /// That many times the rate of another workload of the same run; of the best, where there are several.
    case times(Double, of: [String])
    /// What goes on beside is to keep that many times the rate of another workload.
    case besideTimes(Double, of: String)
    /// That many operations within that many seconds, at the rate that was measured.
    case within(seconds: Double, operations: Int)
    /// At most that many bytes of index a key beyond the key, when the keys were put one by one.
    case insertedBytes(Double)
    /// At most that many bytes of index a key beyond the key, in a store that was opened again.
    case loadedBytes(Double)
    /// At most that much.
    case atMost(Double, Figure)
    /// At most that many times as much as in another workload of the same run.
    case atMostTimes(Double, Figure, of: String)
    /// At most that many nanoseconds for all but one of a thousand operations.
    case latency999(UInt64)

    /// The workloads that it compares with.
    var comparedWith: [String] {
        switch self {
        case .times(_, let names): names
        case .besideTimes(_, let name), .atMostTimes(_, _, let name): [name]
        case .timesRaw: [RawLoop.name]
        default: []
        }
    }
}
