internal import ArgumentParser
internal import Heartwood

/// What a write has survived by the time it is acknowledged.
enum DurabilityLevel: String, CaseIterable, ExpressibleByArgument {
    case synced, written, buffered

    var durability: Durability {
        switch self {
        case .synced: .synced
        case .written: .written
        case .buffered: .buffered
        }
    }
}

/// The options `--durability` and `--by-calls` of `put`, `delete`, `touch` and `load`.
struct DurabilityOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When a write returns: synced (it is on the disk and survives a power loss), written (it is in the kernel "
                + "and survives a kill) or buffered (a crash may lose the newest writes, but keeps their order).",
            valueName: "level"))
    var durability = DurabilityLevel.synced

    @Flag(
        help: ArgumentHelp(
            "Write to the log only by system calls, so that a trace shows every write. Otherwise 'written' writes are "
                + "stored to a memory mapping of the log file, if the file system allows it."))
    var byCalls = false

    /// Commands that write also compact: a large load may overwrite many records, and each opening leaves a file.
    func configure(_ configuration: inout Store.Configuration) {
        configuration.compaction = CompactionPolicy()
        if byCalls { configuration.logWriting = .calls }
    }
}
