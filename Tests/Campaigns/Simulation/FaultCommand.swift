internal import ArgumentParser
internal import HeartwoodCampaignSupport

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
        if !options.json { say("faults: \(faults) for each of \(options.workloads.count) workloads, seed \(seed)") }
        let start = ContinuousClock.now
        do {
            let group = WorkloadGroup(options: options, unit: "faults", wanted: faults)
            let results = try await group.run { workload, report in
                let exploration = FaultExploration(workload, length: length, onlyFullDisks: fullDisk)
                var next = seed
                repeat {
                    try await exploration.explore(seed: next, only: only, until: faults) {
                        report(exploration.totals.faults)
                    }
                    next += 1
                } while only == nil && exploration.totals.faults < faults
                return exploration.totals
            }
            options.json ? printJSON(results) : printTables(results, .now - start)
        } catch let failure as FaultExploration.Failure {
            say("FAILED: \(failure)")
            for line in failure.history.suffix(60) { say(line) }
            let length = failure.length == 16 ? "" : " --length \(failure.length)"
            let kind = fullDisk ? " --full-disk" : ""
            let again = "--workload \(failure.workload) --seed \(failure.seed)\(length)\(kind) --only \(failure.number)"
            if let left = failure.left {
                let kept = try FailureReport.keep(left.image, left.expectation)
                say("  the disk after its crash is kept: Tools/campaign crash --replay \(kept)")
            }
            let note = failure.workload.isDeterministic ? "" : " (several tasks: it may need several attempts)"
            say("  again: Tools/campaign faults \(again)\(note)")
            throw ExitCode(1)
        }
    }

    private func printTables(_ results: [(Workload, FaultExploration.Totals)], _ time: Duration) {
        var table = TextTable(["workload", "faults", "failed calls", "crashes"])
        var classes: [String: Int] = [:]
        var sums = [0, 0, 0]
        for (workload, totals) in results {
            let numbers = [totals.faults, totals.failedCalls, totals.crashes]
            for index in sums.indices { sums[index] += numbers[index] }
            classes.merge(totals.byClass, uniquingKeysWith: +)
            table.add(workload.rawValue, numbers)
        }
        table.add("all", sums)
        table.print()
        say("  by fault:")
        var kinds = TextTable(["fault", "times"])
        for (kind, count) in classes.sorted(by: { $0.key < $1.key }) { kinds.add(kind, [count]) }
        kinds.print()
        say("  \(sums[0]) faults in \(inSeconds(time)); no promise broken")
    }

    private func printJSON(_ results: [(Workload, FaultExploration.Totals)]) {
        let rows = results.map { workload, totals in
            let kinds = totals.byClass.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
            return """
                {"workload":"\(workload)","faults":\(totals.faults),"failedCalls":\(totals.failedCalls),\
                "crashes":\(totals.crashes),"classes":{\(kinds.joined(separator: ","))}}
                """
        }
        say("{\"seed\":\(options.seed),\"violations\":0,\"workloads\":[\(rows.joined(separator: ","))]}")
    }
}
