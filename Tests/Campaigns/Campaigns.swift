internal import ArgumentParser

/// Runs that are too long for a unit test: random operations against a model, kill -9 upon kill -9, and full disks.
@main
struct Campaigns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-campaigns",
        abstract: "Looks for what Heartwood should never do: random operations, and crashes at random moments.",
        subcommands: [FullDiskCommand.self, KillCommand.self, ModelCommand.self, WriteUntilKilledCommand.self])
}
