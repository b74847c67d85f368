internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFuzzing

/// Repairs of damaged stores.
struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract:
            "Damages stores in every way, repairs them, and compares the results with what was written.",
        discussion: """
            Random histories are written: openings that end with a close, a kill or a loss of power, compactions, logs \
            that are kept, batches, removals, expiry, compressed values. Their files are damaged, one to three times \
            each, verified, opened, read, and repaired: planned, to a new directory, and in place. No wrong value may \
            be returned; all losses must be reported, as far as they can be proven; and undamaged data must be there. \
            For changes under valid checksums, all commands must give the same verdict. Some repairs in place are \
            interrupted at every call and repeated.

            Exit codes: 0 all rules hold; 1 some were broken: each case is printed with the command that repeats it.
            """)

    @Option(help: "How many damaged stores.")
    var cases = 2_000

    @Option(help: "How many interruptions of repairs in place, about.")
    var interruptions = 200

    @OptionGroup var options: SeedOptions

    @Option(name: .customLong("case"), help: "Only the case of this number, and all of its interruptions.")
    var number: Int?

    @Option(help: "With --case: a new directory for its damaged files.")
    var keep: String?

    @Option(help: "How many cases at a time.")
    var jobs = 2

    func validate() throws {
        guard cases > 0, interruptions >= 0, number ?? 0 >= 0, (1...64).contains(jobs) else {
            throw ValidationError("--cases: more than 0; --interruptions and --case: 0 or more; --jobs: 1 to 64")
        }
    }

    func run() async throws {
        let (seed, wanted) = (options.seed, cases)
        let campaign = RepairCampaign(seed: seed) { Forgery.run(&$0, &$1) }
        let progress = CampaignProgress(watchdogSeconds: 120, reportsTraps: true)
        if let number {
            say("repair: case \(number), seed \(seed)")
            if let keep { try await keepFiles(of: number, campaign, in: keep) }
            for line in try await campaign.describe(case: number) { say("    \(line)") }
            let (totals, failures) = await campaign.run(case: number)
            return try finish(totals, failures, progress)
        }
        say("repair: \(cases) cases, about \(interruptions) interruptions, seed \(seed)")
        let (totals, failures) = await campaign.run(cases: cases, interruptions: interruptions, jobs: jobs) {
            progress.begin("Tools/campaign repair --seed \(seed) --case \($1)", of: $0)
        } report: { totals in
            progress.show(
                "\(totals.cases) of \(wanted) cases, \(totals.histories) histories, \(totals.interruptions) "
                    + "interruptions, \(progress.time)", isAdvancing: false)
        }
        try finish(totals, failures, progress)
    }

    private func keepFiles(of number: Int, _ campaign: RepairCampaign, in directory: String) async throws {
        let history = try await campaign.history(number / RepairCampaign.casesOfHistory)
        let fileSystem = POSIXFileSystem()
        try fileSystem.createDirectory(directory)
        for (name, bytes) in campaign.damage(history, number).image.files {
            try fileSystem.create(directory + "/" + name, bytes)
        }
    }

    private func finish(
        _ totals: Tally, _ failures: [RepairCampaign.Failure], _ progress: CampaignProgress
    ) throws {
        progress.end()
        progress.report(totals)
        guard !failures.isEmpty else {
            say("  every rule holds")
            return
        }
        for failure in failures {
            say("FAILED: case \(failure.number): \(failure.broken.rule.rawValue): \(failure.broken)")
            for damage in failure.damage { say("    \(damage)") }
            say("  Tools/campaign repair --seed \(options.seed) --case \(failure.number)")
        }
        printCounts("\(failures.count) failures by rule", of: failures.map(\.broken.rule.rawValue))
        printCounts("by kind of damage", of: failures.flatMap { Set($0.kinds).map(\.rawValue) })
        throw ExitCode(1)
    }

    private func printCounts(_ title: String, of names: [String]) {
        var table = TextTable([title, "cases"])
        let groups = Dictionary(grouping: names) { $0 }
        for (name, group) in groups.sorted(by: { $0.value.count > $1.value.count }) { table.add(name, [group.count]) }
        table.print()
    }
}
