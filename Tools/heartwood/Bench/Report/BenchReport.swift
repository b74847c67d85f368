/// The figures, for people and for programs.
struct BenchReport {
    /// Nobody's disk syncs more often than that a second.
    static let implausibleSyncs = 50_000.0

    let path: String
    let plan: BenchPlan
    let disk: DiskKind?
    let measurements: [Measurement]
    /// How long all of it took, what isn't timed included.
    let seconds: Double

    var isComplete: Bool { measurements.count == plan.figures.count }

    /// Why the durable figures say nothing of a disk, where they don't.
    var warnings: [String] {
        if let disk, disk.isMemory {
            return [
                "\(path) is on \(disk.name), which is memory: nothing in it outlives the machine's next start; name a "
                    + "directory on a disk"
            ]
        }
        guard let raw = rawRate, raw > Self.implausibleSyncs else { return [] }
        return [
            "\(Numbers.grouped(Int(raw))) syncs a second are more than a disk does: it, its driver or the machine's host "
                + "only pretends to sync, or it is memory; what is synced there may not survive a power loss"
        ]
    }

    /// Durable writes of one thread, by the system's calls alone; nil where that wasn't measured.
    var rawRate: Double? { measurements.first { $0.figure == .raw }?.perSecond }

    /// How many times as many a second as the raw syncs; nil for what isn't durable.
    func timesRaw(_ measurement: Measurement) -> Double? {
        guard case .fillsync = measurement.figure, let raw = rawRate else { return nil }
        return measurement.perSecond / raw
    }
}
