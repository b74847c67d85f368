/// The figures, for people and for programs.
struct BenchReport {
    /// No real disk syncs more often a second.
    static let implausibleSyncs = 50_000.0

    let path: String
    let plan: BenchPlan
    let disk: DiskKind?
    let measurements: [Measurement]
    /// How long all of it took, including what isn't timed.
    let seconds: Double

    var isComplete: Bool { measurements.count == plan.figures.count }

    /// Why the durable figures don't measure a disk, if they don't.
    var warnings: [String] {
        if let disk, disk.isMemory {
            return [
                "\(path) is on \(disk.name), which is memory: a restart of the machine loses what is in it; name a "
                    + "directory on a disk"
            ]
        }
        guard let raw = rawRate, raw > Self.implausibleSyncs else { return [] }
        return [
            "\(Numbers.grouped(Int(raw))) syncs a second are more than a disk does: the disk, its driver or the host "
                + "only pretends to sync, or it is memory; what is synced there may not survive a power loss"
        ]
    }

    /// Durable writes of one thread, by system calls only; nil if that wasn't measured.
    var rawRate: Double? { measurements.first { $0.figure == .raw }?.perSecond }

    /// The rate divided by that of the raw syncs; nil for figures that aren't durable.
    func timesRaw(_ measurement: Measurement) -> Double? {
        guard case .fillsync = measurement.figure, let raw = rawRate else { return nil }
        return measurement.perSecond / raw
    }
}
