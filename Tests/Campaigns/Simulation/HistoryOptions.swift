internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem

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

    /// Explores histories, several at a time, until there are enough disk images.
    ///
    /// - Returns: What each of the explorers has done, and how long it took.
    /// - Throws: What an explorer throws.
    func explore<Explorer: HistoryExplorer>(
        _ explorer: Explorer.Type
    ) async throws -> (results: [Explorer.Result], time: String) {
        let (images, states) = (images, states)
        let count = Locked(0)
        let progress = CampaignProgress(watchdogSeconds: 300)
        let next = Locked((seed: seed, left: runs))
        defer { progress.end() }
        let results = try await withThrowingTaskGroup(of: Explorer.Result.self) { group in
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
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return (results, progress.time)
    }

    private static func take(_ next: inout (seed: UInt64, left: Int)) -> UInt64? {
        guard next.left > 0 else { return nil }
        defer { (next.seed, next.left) = (next.seed + 1, next.left - 1) }
        return next.seed
    }
}
