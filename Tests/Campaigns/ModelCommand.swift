internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Random operations, compared with a model.
struct ModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Gives random operations to a store and to a dictionary, and compares them.")

    @Option(help: "How many operations.")
    var operations = 200_000

    @Option(help: "The seed: the same one gives the same operations. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    func run() async throws {
        say("model: \(operations) operations, seed \(seed)")
        let watchdog = Watchdog(seconds: 180)
        let line = ProgressLine()
        let run = ModelRun(seed: seed)
        let start = ContinuousClock.now
        do {
            try await run.run(operations: operations) { done in
                watchdog.rearm()
                line.show("\(done) of \(operations) operations")
            }
        } catch {
            line.clear()
            say("FAILED: \(error)")
            say("  replay: Tools/campaign model --operations \(operations) --seed \(seed)")
            throw ExitCode(1)
        }
        line.clear()
        watchdog.stop()
        let summary = run.summary
        let seconds = ContinuousClock.now - start
        say("  \(summary.operations) operations in \(inSeconds(seconds)), \(summary.lives) stores")
        say("  \(summary.writes) writes, \(summary.conflicts) refused for their conditions,")
        say("  \(summary.transactionReruns) transactions run again, \(summary.openings) openings,")
        say("  \(summary.compactions) compactions that were asked for,")
        say("  \(summary.crashes) crashes, which lost \(summary.lostWrites) buffered writes")
    }
}
