/// The progress of an inspection.
public struct InspectionProgress: Sendable, Hashable {
    /// The current phase, as a word: "reading", "comparing", "writing", "verifying", "looking at records".
    public var phase: String
    /// Bytes processed in this phase.
    public var bytes: UInt64
    /// Bytes to process in this phase.
    public var totalBytes: UInt64
    /// Records read so far in this phase.
    package var records: UInt64
}

/// Counts progress and reports it from time to time.
struct ProgressMeter {
    /// Called about every 8 MiB. An error that it throws ends the work.
    typealias Report = (InspectionProgress) throws -> Void

    private let report: Report?
    private var progress: InspectionProgress
    private var told: UInt64 = 0
    private static let step: UInt64 = 8 << 20

    init(_ phase: String, totalBytes: UInt64, _ report: Report?) {
        self.report = report
        progress = InspectionProgress(phase: phase, bytes: 0, totalBytes: totalBytes, records: 0)
    }

    mutating func advance(_ bytes: UInt64, records: Int) throws {
        progress.bytes += bytes
        progress.records += UInt64(records)
        guard progress.bytes / Self.step != told else { return }
        told = progress.bytes / Self.step
        try report?(progress)
    }
}
