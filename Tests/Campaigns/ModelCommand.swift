internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Random operations, compared with a model.
struct ModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Applies random operations to a store and to a dictionary, and compares the two.")

    @Option(help: "How many operations.")
    var operations = 200_000

    @OptionGroup var options: SeedOptions

    func run() async throws {
        let seed = options.seed
        say("model: \(operations) operations, seed \(seed)")
        let progress = CampaignProgress()
        let run = ModelRun(seed: seed)
        try await progress.judge {
            try await run.run(operations: operations) { progress.show("\($0) of \(operations) operations") }
        } failed: { _ in
            ["replay: Tools/campaign model --operations \(operations) --seed \(seed)"]
        }
        progress.report(run.summary)
    }
}
