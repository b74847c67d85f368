internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

/// Crashes on a simulated disk.
struct CrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash",
        abstract: "Crashes stores on a simulated disk: at every call, in every state that a crash may leave.",
        discussion: """
            Each workload runs on a disk in memory that records every call. The states that a crash may leave follow \
            from that trace: before and after each call, each pending sector, size and name kept or lost; all of them \
            if they are few, drawn ones if they are many. Each is opened and compared with what was acknowledged, \
            written to, and crashed again, also while it is being opened.

            Exit codes: 0 all promises were kept; 1 one was broken, and the command that reproduces it is printed.
            """)

    @OptionGroup var options: WorkloadOptions

    @Option(help: "How many different disk images for each workload.")
    var images = 2_500

    @Option(help: "How many writes a run makes, about.")
    var length = 40

    @Option(help: "How many states after one call are tried, at most.")
    var states = 8

    @Option(help: "Only this crash, as a failure names it: such as 41/~123, or 41/~123,17/#3 for two crashes in a row.")
    var state: String?

    @Option(help: "Judge the disk that a failure has kept in this directory.")
    var replay: String?

    func run() async throws {
        if let replay { return try await replayKept(replay) }
        if let state { return try await replay(state) }
        let (length, states, images, seed) = (length, states, images, options.seed)
        if !options.json {
            say("crash: \(images) images for each of \(options.workloads.count) workloads, seed \(seed)")
        }
        let start = ContinuousClock.now
        do {
            let group = WorkloadGroup(options: options, unit: "images", wanted: images)
            let results = try await group.run { workload, report in
                let begin = ContinuousClock.now
                let exploration = CrashExploration(workload, length: length)
                var next = seed
                while exploration.imageCount < images {
                    try await exploration.explore(seed: next, states: states, until: images) {
                        report(exploration.imageCount)
                    }
                    next += 1
                }
                return CrashResult(
                    totals: exploration.totals, images: exploration.images, mixed: exploration.mixedCount,
                    time: ContinuousClock.now - begin)
            }
            options.json ? printJSON(results) : printTable(results, .now - start)
        } catch let failure as CrashExploration.Failure {
            try FailureReport.print(failure, standardLength: 40)
            throw ExitCode(1)
        }
    }

    // MARK: - Replaying

    private func replay(_ text: String) async throws {
        let path = text.split(separator: ",").map { CrashState(String($0)) }
        guard options.workload.count == 1, !path.contains(nil), !path.isEmpty else {
            throw ValidationError("--state takes a state such as 41/~123, and needs one --workload and --seed")
        }
        do {
            try await CrashExploration(options.workload[0], length: length)
                .replay(seed: options.seed, path: path.compactMap { $0 })
            say("no promise is broken after this crash")
        } catch let failure as CrashExploration.Failure {
            try FailureReport.print(failure, standardLength: 40)
            throw ExitCode(1)
        }
    }

    private func replayKept(_ directory: String) async throws {
        let (image, expectation) = try FailureReport.read(Expectation.self, directory)
        do {
            try await CrashExploration(.puts, length: 0).judge(image, expectation)
            say("no promise is broken after this crash")
        } catch {
            say("FAILED: \(error)")
            throw ExitCode(1)
        }
    }

    // MARK: - Results

    struct CrashResult: Sendable {
        var totals: CrashExploration.Totals
        /// By fingerprint: whether the image occurred only as a mixture of kept and lost.
        var images: [UInt64: Bool]
        var mixed: Int
        var time: Duration
    }

    private func printTable(_ results: [(Workload, CrashResult)], _ time: Duration) {
        var table = TextTable(
            ["workload", "runs", "calls", "moments", "crashes", "again", "torn", "images", "mixed", "time"])
        var sums = [Int](repeating: 0, count: 8)
        for (workload, result) in results {
            let totals = result.totals
            let numbers = [
                totals.runs, totals.calls, totals.moments, totals.crashes, totals.crashesAgain, totals.tornTails,
                result.images.count, result.mixed,
            ]
            for index in sums.indices { sums[index] += numbers[index] }
            table.add(workload.rawValue, numbers, inSeconds(result.time))
        }
        table.add("all", sums, inSeconds(time))
        table.print()
        let (all, mixed) = countImages(results)
        say("  \(all) different disk images in all, \(mixed) of them mixtures of kept and lost; no promise broken")
    }

    /// The distinct images of all workloads, and those that occurred only as mixtures.
    private func countImages(_ results: [(Workload, CrashResult)]) -> (all: Int, mixed: Int) {
        var images: [UInt64: Bool] = [:]
        for (_, result) in results { images.merge(result.images) { $0 && $1 } }
        return (images.count, images.values.reduce(0) { $1 ? $0 + 1 : $0 })
    }

    private func printJSON(_ results: [(Workload, CrashResult)]) {
        let rows = results.map { workload, result in
            """
            {"workload":"\(workload)","runs":\(result.totals.runs),"calls":\(result.totals.calls),\
            "moments":\(result.totals.moments),"crashes":\(result.totals.crashes),\
            "crashesAgain":\(result.totals.crashesAgain),"tornTails":\(result.totals.tornTails),\
            "images":\(result.images.count),"mixed":\(result.mixed)}
            """
        }
        let (all, mixed) = countImages(results)
        say(
            """
            {"seed":\(options.seed),"violations":0,"images":\(all),"mixed":\(mixed),\
            "workloads":[\(rows.joined(separator: ","))]}
            """)
    }
}
