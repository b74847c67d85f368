internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Crashes of repositories on a simulated disk.
struct RepositoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repositories",
        abstract: "Crashes stores of repositories on a simulated disk, also during maintenance.",
        discussion: """
            Several versions of a program use one store, one after the other: their models are migrated, and their \
            indexes are added, changed, made unique and dropped, while tasks save, update and delete. The states that \
            a crash may leave follow from the trace of the disk. In each, records and indexes must agree, unique must \
            be unique, and no acknowledged write may be missing. Then the newest program opens it, maintains it to the \
            end and writes, and some of these stores crash again. In one history in four, calls of the disk fail.

            Exit codes: 0 all promises were kept; 1 one was broken, and the command that judges the disk again is \
            printed.
            """)

    @OptionGroup
    var options: HistoryOptions

    func run() async throws {
        try await options.run(ItemExploration.self, named: "repositories") { totals, time in
            say("  \(totals.runs) histories, \(totals.faults) of them with a failing disk, \(totals.calls) calls,")
            say("  \(totals.attempts) writes, \(totals.refusals) of them refused by unique indexes;")
            say("  \(totals.crashes) crashes, \(totals.crashesAgain) of them after another crash,")
            say("  \(totals.maintained) with records to migrate or to index; in \(time)")
        }
    }
}
