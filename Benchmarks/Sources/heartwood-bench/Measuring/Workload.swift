/// One thing that is measured: it makes ready, does its operations while the clock runs, and clears away.
///
/// Runner, schedule and report know nothing of stores: whatever is compared, Heartwood or another engine, comes in as
/// one more workload.
protocol Workload: Sendable {
    /// What it is called on the command line and in the JSON.
    var name: String { get }
    /// What it does, in a few words.
    var title: String { get }
    /// The table that it stands in.
    var group: WorkloadGroup { get }
    /// What it is meant to reach.
    var target: Target? { get }
    /// What `Sample.beside` counts.
    var besideTitle: String? { get }

    /// One run. Ends early when `run.isOver` says so.
    func measure(_ run: Run) async throws -> Sample
}

extension Workload {
    var target: Target? { nil }
    var besideTitle: String? { nil }
}

/// Workloads that are shown together.
enum WorkloadGroup: String, Sendable, Codable, CaseIterable {
    case durable, unsynced, opening, reading

    /// The heading of the table.
    var title: String {
        switch self {
        case .durable: "DURABLE WRITES (.synced): on the disk before a write returns"
        case .unsynced: "WRITES THAT DON'T WAIT FOR THE DISK"
        case .opening: "OPENING A STORE OF 1,000,000 RECORDS (files in the page cache)"
        case .reading: "READING A STORE OF 1,000,000 RECORDS (files in the page cache), for information"
        }
    }
}
