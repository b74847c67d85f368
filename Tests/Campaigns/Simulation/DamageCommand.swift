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
        if !options.json { say("damage: \(damages) for each of \(options.workloads.count) workloads, seed \(seed)") }
        let start = ContinuousClock.now
        do {
            let group = WorkloadGroup(options: options, unit: "damages", wanted: damages)
            let results = try await group.run { workload, report in
                let exploration = DamageExploration(workload, length: length)
                var next = seed
                while exploration.totals.damages < damages {
                    try await exploration.explore(seed: next, until: damages) { report(exploration.totals.damages) }
                    next += 1
                }
                return exploration.totals
            }
            if options.json { return printJSON(results) }
            var table = TextTable(["workload", "runs", "damages", "refused", "by reads", "harmless"])
            for (workload, totals) in results {
                table.add(
                    workload.rawValue,
                    [totals.runs, totals.damages, totals.refused, totals.refusedByReads, totals.harmless])
            }
            table.print()
            say("  in \(inSeconds(.now - start)); no silent loss")
        } catch let violation as Violation {
            say("FAILED: \(violation)")
            throw ExitCode(1)
        }
    }

    private func printJSON(_ results: [(Workload, DamageExploration.Totals)]) {
        let rows = results.map { workload, totals in
            """
            {"workload":"\(workload)","runs":\(totals.runs),"damages":\(totals.damages),\
            "refused":\(totals.refused),"refusedByReads":\(totals.refusedByReads),"harmless":\(totals.harmless)}
            """
        }
        say("{\"seed\":\(options.seed),\"violations\":0,\"workloads\":[\(rows.joined(separator: ","))]}")
    }
}
