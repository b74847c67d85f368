internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// How many histories a campaign does, and how many of their crashes it judges.
struct HistoryOptions: ParsableArguments {
    @Option(help: "How many different disk images.")
    var images = 3_000

    @Option(help: "How many histories, at most.")
    var runs = Int.max

    @Option(help: "The seed of the first history; each next one adds one. A random one by default.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    @Option(help: "How many states after one call are tried, at most.")
    var states = 6

    @Option(help: "How many histories at a time.")
    var jobs = 2

    @Option(help: "Judge the disk that a failure has kept in this directory.")
    var replay: String?

    /// Runs a campaign.
    ///
    /// - Parameters:
    ///   - explorer: Does its histories.
    ///   - name: Of the campaign.
    ///   - summarize: Says what was done, in which time; not the number of images.
    /// - Throws: `ExitCode(1)` if a promise was broken; other errors.
    func run<Explorer: HistoryExplorer>(
        _ explorer: Explorer.Type, named name: String, _ summarize: (Explorer.Totals, _ time: String) -> Void
    ) async throws {
        if let replay { return try await replayKept(explorer, replay) }
        say("\(name): \(images) images, seed \(seed)")
        do {
            let (result, time) = try await explore(explorer)
            summarize(result.totals, time)
            say("  \(result.images.count) different disk images; no promise broken")
        } catch let failure as HistoryFailure<Explorer.Evidence> {
            try report(failure, name)
            throw ExitCode(1)
        }
    }

    private func report(_ failure: HistoryFailure<some Encodable>, _ name: String) throws {
        say("FAILED: \(failure)")
        let path = failure.path.map(\.description).joined(separator: ",")
        if !path.isEmpty { say("  after the crash \(path); the last calls before it:") }
        for call in failure.lastCalls { say("    \(call)") }
        if let left = failure.left {
            let kept = try FailureReport.keep(left.image, left.evidence)
            say("  the disk after the crash is kept: Tools/campaign \(name) --replay \(kept)")
        }
        say("  the same history, with other timing: Tools/campaign \(name) --seed \(failure.seed) --runs 1")
    }

    private func replayKept<Explorer: HistoryExplorer>(
        _ explorer: Explorer.Type, _ directory: String
    ) async throws {
        let (image, evidence) = try FailureReport.read(Explorer.Evidence.self, directory)
        do {
            try await Explorer().judge(image, evidence)
            say("no promise is broken after this crash")
        } catch {
            say("FAILED: \(error)")
            throw ExitCode(1)
        }
    }

    /// Explores histories, several at a time, until there are enough disk images.
    ///
    /// - Returns: What the explorers have done, and how long it took.
    /// - Throws: What an explorer throws.
    private func explore<Explorer: HistoryExplorer>(
        _ explorer: Explorer.Type
    ) async throws -> (result: HistoryResult<Explorer.Totals>, time: String) {
        let (images, states) = (images, states)
        let count = Locked(0)
        let progress = CampaignProgress(watchdogSeconds: 300)
        let next = Locked((seed: seed, left: runs))
        defer { progress.end() }
        let result = try await withThrowingTaskGroup(of: HistoryResult<Explorer.Totals>.self) { group in
            for _ in 0..<max(1, jobs) {
                group.addTask {
                    let explorer = Explorer()
                    while let seed = next.withLock({ Self.take(&$0) }), count.withLock({ $0 < images }) {
                        try await explorer.explore(seed: seed, states: states) { new in
                            let sum = count.withLock { count in
                                count += new
                                return count
                            }
                            progress.show("\(sum) of \(images) images")
                            return sum < images
                        }
                    }
                    return explorer.result
                }
            }
            return try await group.reduce(into: HistoryResult()) { $0 += $1 }
        }
        return (result, progress.time)
    }

    private static func take(_ next: inout (seed: UInt64, left: Int)) -> UInt64? {
        guard next.left > 0 else { return nil }
        defer { (next.seed, next.left) = (next.seed + 1, next.left - 1) }
        return next.seed
    }
}
