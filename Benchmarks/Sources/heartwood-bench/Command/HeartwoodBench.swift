internal import ArgumentParser

/// The command line.
@main
struct HeartwoodBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-bench",
        abstract: "Measures Heartwood and other engines: the same work, at the same durability, in one run.",
        discussion: """
            The default subcommand is 'run': 'heartwood-bench --quick' is 'heartwood-bench run --quick'. \
            Benchmarks/README.md explains what is measured, how the engines are set, and what the figures mean.
            """,
        subcommands: [
            RunCommand.self, ListCommand.self, PageCommand.self, FiguresCommand.self, SummaryCommand.self,
            CellCommand.self,
        ],
        defaultSubcommand: RunCommand.self
    )
}
