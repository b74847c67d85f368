internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFuzzing

/// Repairs of damaged stores.
struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract:
            "Damages stores in every way, repairs them, and holds what comes of it against what had been written.",
        discussion: """
            Random histories are written: openings that end by a close, a kill or a loss of power, compactions, logs \
            that are kept, batches, removals, expiry, compressed values. Their files are damaged, one to three times \
            each, verified, opened, read, and repaired: planned, to a new directory, and in place. Nothing wrong may \
            be returned; all that is missing must be told, as far as it can be proven; and what no damage touched must \
            be there. What was changed under checksums that hold must get the same verdict from all. Some repairs in \
            place are interrupted at every call and repeated.

            Exit codes: 0 all rules hold; 1 some were broken: each case, and the command that has it again, is printed.
            """)

    @Option(help: "How many damaged stores.")
    var cases = 2_000

    @Option(help: "How many interruptions of repairs in place, about.")
    var interruptions = 200

    @Option(help: "The seed. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    @Option(name: .customLong("case"), help: "Only the case of this number, and all of its interruptions.")
    var number: Int?

    @Option(help: "With --case: a new directory for its damaged files.")
    var keep: String?

    @Option(help: "How many cases at a time.")
    var jobs = 2

    func validate() throws {
        guard cases > 0, interruptions >= 0, number ?? 0 >= 0, (1...64).contains(jobs) else {
            throw ValidationError("there must be cases, and 1 to 64 jobs")
        }
    }

    func run() async throws {
        let campaign = RepairCampaign(seed: seed) { Forgery.run(&$0, &$1) }
        let start = ContinuousClock.now
        if let number {
            say("repair: case \(number), seed \(seed)")
            if let keep { try await keepFiles(of: number, campaign, in: keep) }
            for line in try await campaign.describe(case: number) { say("    \(line)") }
            let (totals, failures) = await campaign.run(case: number)
            return try finish(totals, failures, .now - start)
        }
        say("repair: \(cases) cases, about \(interruptions) interruptions, seed \(seed)")
        let watch = CaseWatch(command: "Tools/campaign repair --seed \(seed) --case", jobs: jobs)
        let line = ProgressLine()
        let (wanted, shown) = (cases, Locked(start))
        let (totals, failures) = await campaign.run(cases: cases, interruptions: interruptions, jobs: jobs) {
            watch.begin($1, of: $0)
        } report: { totals in
            let now = ContinuousClock.now
            let isDue = shown.withLock { last in
                guard now - last > .milliseconds(200) else { return false }
                last = now
                return true
            }
            guard isDue else { return }
            line.show(
                "\(totals.cases) of \(wanted) cases, \(totals.histories) histories, \(totals.interruptions) "
                    + "interruptions, \(inSeconds(now - start))"
            )
        }
        line.clear()
        watch.stop()
        try finish(totals, failures, .now - start)
    }

    private func keepFiles(of number: Int, _ campaign: RepairCampaign, in directory: String) async throws {
        let history = try await campaign.history(number / RepairCampaign.casesOfHistory)
        let fileSystem = POSIXFileSystem()
        try fileSystem.createDirectory(directory)
        for (name, bytes) in campaign.damage(history, number).image.files {
            let file = try fileSystem.openFile(directory + "/" + name, for: .create)
            try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
            try file.close()
        }
    }

    private func finish(
        _ totals: RepairCampaign.Totals, _ failures: [RepairCampaign.Failure], _ time: Duration
    ) throws {
        say(
            "  \(totals.cases) cases of \(totals.histories) histories in \(inSeconds(time)): \(totals.refused) "
                + "couldn't be opened or read, \(totals.whole) lost nothing, \(totals.unproven) lost what can't be "
                + "proven, \(totals.forged) were forged"
        )
        say("  \(totals.interruptions) interruptions of \(totals.interrupted) repairs in place")
        guard !failures.isEmpty else {
            say("  every rule holds")
            return
        }
        for failure in failures {
            say("FAILED: case \(failure.number): \(failure.broken.rule.rawValue): \(failure.broken)")
            for damage in failure.damage { say("    \(damage)") }
            say("  Tools/campaign repair --seed \(seed) --case \(failure.number)")
        }
        var table = TextTable(["\(failures.count) failures by rule", "cases"])
        for (rule, group) in Dictionary(grouping: failures, by: \.broken.rule).sorted(by: {
            $0.value.count > $1.value.count
        }) {
            table.add(rule.rawValue, [group.count])
        }
        table.print()
        var kinds = TextTable(["by what was done", "cases"])
        let byKind = Dictionary(grouping: failures.flatMap { Set($0.kinds) }) { $0 }
        for (kind, group) in byKind.sorted(by: { $0.value.count > $1.value.count }) {
            kinds.add(kind.rawValue, [group.count])
        }
        kinds.print()
        throw ExitCode(1)
    }
}
