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

    @Flag(help: "Print the counts as JSON.")
    var json = false

    var workloads: [Workload] { workload.isEmpty ? Workload.allCases : workload }

    /// Explores each workload until there are enough of one unit, and prints the counts.
    ///
    /// - Parameters:
    ///   - columns: The titles of the printed columns, with the counts in them.
    ///   - explore: Gets the workload, and a function to call with its growing count of the unit.
    /// - Returns: The counts of all workloads together, and how long it took.
    func run(
        _ campaign: String, _ wanted: Int, _ unit: String, columns: KeyValuePairs<String, String>,
        _ explore: @escaping @Sendable (Workload, (Int) -> Void) async throws -> Tally
    ) async throws -> (totals: Tally, time: String) {
        if !json { say("\(campaign): \(wanted) \(unit) for each of \(workloads.count) workloads, seed \(seed)") }
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
        json ? printJSON(results) : printTable(results, sum, columns, progress.time)
        return (sum, progress.time)
    }

    private func printTable(
        _ results: [(Workload, Tally, String)], _ sum: Tally, _ columns: KeyValuePairs<String, String>, _ time: String
    ) {
        var table = TextTable(["workload"] + columns.map(\.key) + ["time"])
        for (workload, totals, time) in results {
            table.add(workload.rawValue, columns.map { totals[$0.value] }, time)
        }
        table.add("all", columns.map { sum[$0.value] }, time)
        table.print()
    }

    private func printJSON(_ results: [(Workload, Tally, String)]) {
        let rows = results.map { workload, totals, _ in
            let counts = totals.counts.sorted { $0.key < $1.key }.map { ",\"\($0.key)\":\($0.value)" }
            return "{\"workload\":\"\(workload)\"\(counts.joined())}"
        }
        say("{\"seed\":\(seed),\"violations\":0,\"workloads\":[\(rows.joined(separator: ","))]}")
    }
}

extension Workload: ExpressibleByArgument {}
