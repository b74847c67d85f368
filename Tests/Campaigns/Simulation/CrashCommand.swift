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
        if let replay { return try await FailureReport.replay(WorkSubject(.puts, length: 0), replay) }
        if let state { return try await replay(state) }
        let (length, states, images, seed) = (length, states, images, options.seed)
        try await options.run("crash", images, "images") { workload, report in
            let exploration = CrashExploration(workload, length: length)
            var next = seed
            while exploration.imageCount < images {
                try await exploration.explore(seed: next, states: states, until: images) { count in
                    report(count)
                    return true
                }
                next += 1
            }
            var totals = exploration.totals
            (totals.images, totals.mixed) = (exploration.imageCount, exploration.mixedCount)
            return totals
        }
    }

    private func replay(_ text: String) async throws {
        let path = text.split(separator: ",").map { CrashState(String($0)) }
        guard options.workload.count == 1, !path.contains(nil), !path.isEmpty else {
            throw ValidationError("--state takes a state such as 41/~123, and needs one --workload and --seed")
        }
        let exploration = CrashExploration(options.workload[0], length: length)
        try await CampaignProgress().judge {
            try await exploration.replay(seed: options.seed, path: path.compactMap { $0 })
        } failed: {
            try FailureReport.lines($0, "crash")
        }
        say("no promise is broken after this crash")
    }
}
