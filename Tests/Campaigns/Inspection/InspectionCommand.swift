internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Inspections beside a writer.
struct InspectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspection",
        abstract: "Verifies, inspects and follows a store while it is written to.",
        discussion: """
            A store is written to, compacted, closed or dropped, and opened again, without a pause. Meanwhile its \
            files are verified, inspected and followed in turn: no error may be found, and inspections may only read.

            Exit codes: 0 no violation; 1 a violation.
            """)

    @Option(help: "How many inspections.")
    var runs = 300

    @Option(help: "The size of the store in MiB, about.")
    var size = 6

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard runs > 0, size > 0, size <= 8_192 else { throw ValidationError("--runs: more than 0; --size: 1 to 8192") }
    }

    func run() async throws {
        let seed = options.seed
        say("inspection: \(runs) runs on about \(size) MiB, seed \(seed)")
        let progress = CampaignProgress()
        let summary = try await options.inDirectory("inspection") { parent in
            // Values have half of their maximum length on average, and a part of the store is dead.
            let run = InspectionRun(
                path: parent + "/store", seed: seed, keys: max(100, (size << 20) / 1_400), valueBytes: 2_000)
            return try await progress.judge {
                try await run.run(inspections: runs) { summary in
                    progress.show("\(summary.all) of \(runs) runs, \(summary.writes) writes, \(progress.time)")
                }
            } failed: { _ in
                ["Tools/campaign inspection --seed \(seed) --size \(size) --runs \(runs)"]
            }
        }
        progress.report(summary)
    }
}
