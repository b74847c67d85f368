internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

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

    @Option(help: "Judge the disk that a failure has kept in this directory.")
    var replay: String?

    func run() async throws {
        if let replay { return try await replayKept(replay) }
        say("repositories: \(options.images) images, seed \(options.seed)")
        do {
            let (results, time) = try await options.explore(ItemExploration.self)
            report(results, time)
        } catch let failure as ItemExploration.Failure {
            try report(failure)
            throw ExitCode(1)
        }
    }

    private func report(_ results: [ItemExploration.Result], _ time: String) {
        var totals = ItemExploration.Totals()
        var images: Set<UInt64> = []
        for result in results {
            totals += result.totals
            images.formUnion(result.images)
        }
        say("  \(totals.runs) histories, \(totals.faults) of them with a failing disk, \(totals.calls) calls,")
        say("  \(totals.attempts) writes, \(totals.refusals) of them refused by unique indexes;")
        say("  \(totals.crashes) crashes, \(totals.crashesAgain) of them after another crash,")
        say("  \(totals.maintained) with records to migrate or to index; in \(time)")
        say("  \(images.count) different disk images; no promise broken")
    }

    private func report(_ failure: ItemExploration.Failure) throws {
        say("FAILED: \(failure)")
        let path = failure.path.map(\.description).joined(separator: ",")
        if !path.isEmpty { say("  after the crash \(path); the last calls before it:") }
        for call in failure.lastCalls { say("    \(call)") }
        if let left = failure.left {
            let kept = try FailureReport.keep(left.image, left.expectation)
            say("  the disk after the crash is kept: Tools/campaign repositories --replay \(kept)")
        }
        say("  the same history, with other timing: Tools/campaign repositories --seed \(failure.seed) --runs 1")
    }

    private func replayKept(_ directory: String) async throws {
        let (image, expectation) = try FailureReport.read(ItemExpectation.self, directory)
        do {
            try await ItemExploration().judge(image, expectation)
            say("no promise is broken after this crash")
        } catch {
            say("FAILED: \(error)")
            throw ExitCode(1)
        }
    }
}
