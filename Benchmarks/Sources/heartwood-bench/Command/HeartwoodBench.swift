internal import ArgumentParser

/// The command line.
@main
struct HeartwoodBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-bench",
        abstract: "Measures Heartwood beside other engines: the same work, at the same durability, in the same run.",
        subcommands: [RunCommand.self, ListCommand.self, CellCommand.self],
        defaultSubcommand: RunCommand.self
    )
}
