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
    /// Whose figures these are.
    var engine: String { get }
    /// What it is meant to reach.
    var targets: [Target] { get }
    /// Heartwood's workload that another engine's is to be compared with.
    var baseline: String? { get }
    /// What `Sample.beside` counts.
    var besideTitle: String? { get }
    /// Turns to a new segment without which a run proves nothing.
    var neededRotations: UInt64 { get }
    /// Whether it comes to the same each time, so that one run is enough.
    var needsOneRun: Bool { get }
    /// Whether it uses ten times the keys that were asked for.
    var isLarge: Bool { get }

    /// One run. Ends early when `run.isOver` says so.
    func measure(_ run: Run) async throws -> Sample
}

extension Workload {
    var engine: String { "heartwood" }
    var targets: [Target] { [] }
    var baseline: String? { nil }
    var besideTitle: String? { nil }
    var neededRotations: UInt64 { 0 }
    var needsOneRun: Bool { false }
    var isLarge: Bool { group == .large || group == .memory }
}

/// Workloads that are shown together.
enum WorkloadGroup: String, Sendable, Codable, CaseIterable {
    case harness, durable, unsynced, opening, reading, beside, scanning, large, memory, compaction

    /// Whether it is measured when nothing is chosen: what needs ten times the keys, and time and room for them, isn't.
    var isByDefault: Bool { ![.large, .memory, .compaction].contains(self) }

    /// The heading of the table.
    var title: String {
        switch self {
        case .harness: "THE LOOPS WITHOUT A STORE: what they cost themselves, in every figure below"
        case .durable: "DURABLE WRITES: on the disk before a write returns"
        case .unsynced: "WRITES THAT DON'T WAIT FOR THE DISK"
        case .opening: "OPENING A STORE (files in the page cache)"
        case .reading: "GETS OF RANDOM KEYS (files in the page cache)"
        case .beside: "READING AND WRITING AT ONCE"
        case .scanning: "SCANS OF ALL ENTRIES, FORWARD (files in the page cache)"
        case .large: "TEN TIMES AS MANY KEYS"
        case .memory: "MEMORY OF THE INDEX"
        case .compaction: "COMPACTION"
        }
    }

    /// What has to be known to read the table.
    var note: String? {
        switch self {
        case .unsynced:
            "LevelDB and RocksDB hand each record to the kernel before a put returns; .buffered does so within 10 ms, "
                + "without the put waiting for it. What waits for the kernel as they do is .written."
        case .durable:
            "Heartwood's writers are tasks, the others' are threads of the system: as many of them."
        case .opening:
            "LevelDB and RocksDB have all records in their logs, in none of their tables, as Heartwood has."
        case .reading, .scanning:
            "Every byte of every value is summed, for every engine by the same code, and the sum is checked."
        case .compaction:
            "Puts at a rate wait from the moment at which each was due. Disk is what the file system says that the "
                + "files take, room laid ahead included."
        case .harness, .beside, .large, .memory: nil
        }
    }
}
