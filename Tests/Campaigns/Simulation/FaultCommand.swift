internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency

/// Failing calls on a simulated disk.
struct FaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract: "Makes every call of the file system fail, in every way that it may, once or for ever.",
        discussion: """
            Each workload runs once without a fault, to count its calls, and then once for each call and each way in \
            which it may fail. Errors must name their cause, no acknowledged write may be lost, after a failed sync \
            nothing is acknowledged, reads continue, writes resume, and faults that the store must hide (EINTR, short \
            reads and writes) must leave the same bytes on the disk. Then the disk is crashed.

            Exit codes: 0 all promises were kept; 1 one was broken, and the command that reproduces it is printed.
            """)

    @OptionGroup var options: WorkloadOptions

    @Option(help: "How many faults for each workload.")
    var faults = 300

    @Option(help: "How many writes a run makes, about.")
    var length = 16

    @Flag(help: "Only disks that become full at some call.")
    var fullDisk = false

    @Option(help: "Only the fault of this number in the run of --seed, as a failure names it.")
    var only: Int?

    func run() async throws {
        let (length, faults, only, seed, fullDisk) = (length, faults, only, options.seed, fullDisk)
        let classes = Locked(Tally())
        try await options.run("faults", faults, "faults") { workload, report in
            let exploration = FaultExploration(workload, length: length, onlyFullDisks: fullDisk)
            var next = seed
            repeat {
                try await exploration.explore(seed: next, only: only, until: faults) {
                    report(exploration.totals.faults)
                }
                next += 1
            } while only == nil && exploration.totals.faults < faults
            classes.withLock { $0 += exploration.classes }
            return exploration.totals
        }
        var kinds = TextTable(["fault", "times"])
        for (kind, count) in classes.withLock({ $0.counts }).sorted(by: { $0.key < $1.key }) {
            kinds.add(kind, [count])
        }
        kinds.print()
    }
}
