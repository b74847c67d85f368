internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Damage to durable bytes.
struct DamageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "damage",
        abstract: "Damages every sector of closed stores: zeros, noise, a flipped bit, another sector.",
        discussion: """
            A damaged store opens with everything that was in it, or refuses to open and names the file. No loss is \
            silent, and no value is wrong.

            Exit codes: 0 all promises were kept; 1 one was broken.
            """)

    @OptionGroup var options: WorkloadOptions

    @Option(help: "How many damages for each workload.")
    var damages = 500

    @Option(help: "How many writes a run makes, about.")
    var length = 30

    func run() async throws {
        let (length, damages, seed) = (length, damages, options.seed)
        try await options.run("damage", damages, "damages") { workload, report in
            let exploration = DamageExploration(workload, length: length)
            var next = seed
            while exploration.totals.damages < damages {
                try await exploration.explore(seed: next, until: damages) { report(exploration.totals.damages) }
                next += 1
            }
            return exploration.totals
        }
    }
}
