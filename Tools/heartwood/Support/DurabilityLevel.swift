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

/// The options `--durability` and `--by-calls` of `put`, `delete` and `load`.
struct DurabilityOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "When a write counts as done: synced (on the disk, survives power loss), written (in the kernel, survives "
                + "the death of the process) or buffered (may lose the last moments, never their order).",
            valueName: "level"))
    var durability = DurabilityLevel.synced

    @Flag(
        help: ArgumentHelp(
            "Write to the log by system calls alone, so that a trace of them shows every write. Written writes go into "
                + "a mapping of its file otherwise, where the file system allows it."))
    var byCalls = false

    /// Commands that write also compact: a large load may overwrite many records, and each opening leaves a file.
    func configure(_ configuration: inout Store.Configuration) {
        configuration.compaction = CompactionPolicy()
        if byCalls { configuration.logWriting = .calls }
    }
}
