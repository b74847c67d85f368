internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency

/// Which workloads a simulation runs, and how many at a time.
struct WorkloadOptions: ParsableArguments {
    @Option(help: "The workload; may be repeated. All of them by default.")
    var workload: [Workload] = []

    @Option(help: "The seed of the first run; each next run adds one. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    @Option(help: "How many workloads at a time.")
    var jobs = 2

    var workloads: [Workload] { workload.isEmpty ? Workload.allCases : workload }

    /// Explores each workload until there are enough of one unit, and prints the counts.
    ///
    /// - Parameter explore: Gets the workload, and a function to call with its growing count of the unit.
    func run(
        _ campaign: String, _ wanted: Int, _ unit: String,
        _ explore: @escaping @Sendable (Workload, (Int) -> Void) async throws -> Tally
    ) async throws {
        say("\(campaign): \(wanted) \(unit) for each of \(workloads.count) workloads, seed \(seed)")
        let progress = CampaignProgress(watchdogSeconds: 300)
        let (board, all) = (Locked<[Workload: Int]>([:]), wanted * workloads.count)
        let results = try await progress.judge {
            try await inLanes(workloads, jobs: jobs) { workload in
                let start = ContinuousClock.now
                let totals = try await explore(workload) { count in
                    let done = board.withLock { board in
                        board[workload] = count
                        return board.values.reduce(0, +)
                    }
                    progress.show(done, of: all, unit)
                }
                return (workload, totals, inSeconds(.now - start))
            }
        } failed: {
            try FailureReport.lines($0, campaign)
        }
        let sum = results.reduce(into: Tally()) { $0 += $1.1 }
        let names = sum.counts.keys.sorted()
        var table = TextTable(["workload"] + names.map(TextTable.words) + ["time"])
        for (workload, totals, time) in results { table.add(workload.rawValue, names.map { totals[$0] }, time) }
        table.add("all", names.map { sum[$0] }, progress.time)
        table.print()
    }
}

extension Workload: ExpressibleByArgument {}
