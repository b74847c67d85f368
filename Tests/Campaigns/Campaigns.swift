internal import ArgumentParser

/// Runs that are too long for a unit test: crashes, faults and damage on a simulated disk, full disks, kill -9 upon
/// kill -9, random operations against a model, readers beside a writer, and long use.
@main
struct Campaigns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-campaigns",
        abstract:
            "Looks for what Heartwood should never do, under crashes, failing disks, damage, and random operations.",
        subcommands: [
            CrashCommand.self, FaultCommand.self, DamageCommand.self, FullDiskCommand.self, KillCommand.self,
            ModelCommand.self, ReadersCommand.self, SoakCommand.self, InspectionCommand.self, RepairCommand.self,
            ToolsCommand.self, FairnessCommand.self,
            WriteUntilKilledCommand.self,
        ])
}
