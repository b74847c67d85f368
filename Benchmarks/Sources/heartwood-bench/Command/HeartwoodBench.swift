internal import ArgumentParser

/// The command line.
@main
struct HeartwoodBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-bench",
        abstract: "Measures Heartwood beside other engines: the same work, at the same durability, in the same run.",
        discussion: """
            Without a subcommand it measures: 'heartwood-bench --quick' is 'heartwood-bench run --quick'. \
            Benchmarks/README.md says what is measured, how the engines are set, and what the figures mean.
            """,
        subcommands: [RunCommand.self, ListCommand.self, PageCommand.self, FiguresCommand.self, CellCommand.self],
        defaultSubcommand: RunCommand.self
    )
}
