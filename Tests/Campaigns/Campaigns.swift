internal import ArgumentParser

/// Runs that are too long for a unit test.
@main
struct Campaigns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-campaigns",
        abstract: "Searches for violations of Heartwood's promises: crashes, failing disks, damage, random operations.",
        subcommands: [
            CrashCommand.self, FaultCommand.self, DamageCommand.self, FullDiskCommand.self, KillCommand.self,
            ModelCommand.self, ReadersCommand.self, SoakCommand.self, InspectionCommand.self, RepairCommand.self,
            ToolsCommand.self, FairnessCommand.self, BesideCommand.self, BesideWriterCommand.self,
            WriteUntilKilledCommand.self, TuplesCommand.self, RepositoriesCommand.self, JobsCommand.self,
        ])
}
