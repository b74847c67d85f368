/// How long the runs are.
struct Lengths: Sendable, Codable {
    /// Seconds of each run.
    var seconds: Double
    /// Seconds of each run of a durable workload: long enough for several turns to a new segment.
    var durableSeconds: Double

    /// Of the raw loop, which runs before each durable workload: a quarter is enough for a loop so even.
    var rawSeconds: Double { durableSeconds / 4 }

    /// The seconds of one run of a workload.
    func seconds(of workload: any Workload) -> Double {
        guard workload.group == .durable else { return seconds }
        return workload.name == RawLoop.name ? rawSeconds : durableSeconds
    }
}
