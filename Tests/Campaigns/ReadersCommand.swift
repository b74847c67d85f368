internal import ArgumentParser
internal import HeartwoodCampaignSupport

/// Lock-free readers beside a writer.
struct ReadersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "Reads an index and a store while they are written to, and checks every result.",
        discussion: """
            One writer adds and removes keys, so that nodes are split, merged, freed and reused. Readers look up \
            single keys, whose results must be linearizable, and take read views, which must show states that the \
            writer has made, at once and later. Rounds over the index alone and over a store in memory alternate.

            Exit codes: 0 all results were right; 1 one was wrong. The seed fixes what is written and read, not the \
            interleaving.
            """)

    @Option(help: "How many single keys to read, at least.")
    var reads = 2_000_000

    @Option(help: "For how many seconds, at least.")
    var seconds = 0

    @Option(help: "How many readers.")
    var readers = 2

    @Option(help: "How many keys there are.")
    var keys = 6_000

    @Option(help: "How many changes a round over the index makes; one over a store makes a tenth.")
    var changes = 500_000

    @Option(help: "Only rounds over this: index or store.")
    var over: ReadersRun.Target?

    @OptionGroup var options: SeedOptions

    func validate() throws {
        guard readers > 0, keys > 100, keys < 1 << 24, changes > 0 else {
            throw ValidationError("--readers and --changes: more than 0; --keys: 101 to 16777215")
        }
    }

    func run() async throws {
        let seed = options.seed
        say("readers: \(reads) reads, \(seconds) s or more, \(readers) readers, seed \(seed)")
        let progress = CampaignProgress()
        let run = ReadersRun(seed: seed, readers: readers, keys: keys)
        try await progress.judge {
            repeat {
                for target in over.map({ [$0] }) ?? ReadersRun.Target.allCases {
                    try await run.round(target, changes: target == .store ? max(1, changes / 10) : changes) { done in
                        progress.show("\(done) of \(reads) reads, \(progress.time), round \(run.summary.rounds)")
                    }
                }
            } while run.summary.reads < reads || ContinuousClock.now - progress.start < .seconds(seconds)
            if run.isLackingChurn, over != .store {
                throw Violation("nodes were not split, merged, freed and reused: \(run.summary)")
            }
        } failed: { _ in
            [
                "in round \(run.summary.rounds); run it again, with other timing:",
                "Tools/campaign readers --seed \(seed) --readers \(readers) --keys \(keys) --changes \(changes)",
            ]
        }
        progress.report(run.summary)
    }
}

extension ReadersRun.Target: ExpressibleByArgument {}
