internal import ArgumentParser
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency

/// Crashes of repositories on a simulated disk.
struct RepositoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repositories",
        abstract: "Crashes stores of repositories on a simulated disk, also during maintenance.",
        discussion: """
            Several versions of a program use one store, one after the other: their models are migrated, and their \
            indexes are added, changed, made unique and dropped, while tasks save, update and delete. The states that \
            a crash may leave follow from the trace of the disk. In each, records and indexes must agree, unique must \
            be unique, and no acknowledged write may be missing. Then the newest program opens it, maintains it to the \
            end and writes, and some of these stores crash again. In one history in four, calls of the disk fail.

            Exit codes: 0 all promises were kept; 1 one was broken, and the command that judges the disk again is \
            printed.
            """)

    @OptionGroup
    var options: HistoryOptions

    func run() async throws {
        try await options.run(ItemSubject(), named: "repositories")
    }
}

/// Crashes of queues of jobs on a simulated disk.
struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Crashes queues of jobs on a simulated disk, and lets workers finish what is left.",
        discussion: """
            Tasks enqueue jobs, also together with data, and sets of workers claim, renew, finish, fail and give back; \
            some stand still beyond their lease. The states that a crash may leave follow from the trace of the disk. \
            In each, no job may be missing that was acknowledged, none may come back that was finished, and records \
            and index must agree. Then workers run until nothing is left, and some of these stores crash again. By all \
            that was written, no job may have two workers at once, and its fencing numbers must rise.

            Exit codes: 0 all promises were kept; 1 one was broken, and the command that judges the disk again is \
            printed.
            """)

    @OptionGroup
    var options: HistoryOptions

    func run() async throws {
        try await options.run(JobSubject(), named: "jobs")
    }
}

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

    /// Explores histories, several at a time, until there are enough disk images.
    func run<Subject: CrashSubject>(_ subject: Subject, named name: String) async throws {
        if let replay { return try await FailureReport.replay(subject, replay) }
        say("\(name): \(images) images, seed \(seed)")
        let progress = CampaignProgress(watchdogSeconds: 300)
        let (wanted, states, done) = (images, states, Locked(0))
        let next = Locked((seed: seed, left: runs))
        let results = try await progress.judge {
            try await inLanes(Array(0..<max(1, jobs)), jobs: jobs) { _ in
                let exploration = CrashExploration(subject)
                var before = 0
                while let seed = next.withLock({ Self.take(&$0) }), done.withLock({ $0 < wanted }) {
                    try await exploration.explore(seed: seed, states: states) { count in
                        let sum = done.withLock { done in
                            done += count - before
                            return done
                        }
                        before = count
                        progress.show(sum, of: wanted, "images")
                        return sum < wanted
                    }
                }
                return (exploration.totals, exploration.images)
            }
        } failed: {
            try FailureReport.lines($0, name)
        }
        var totals = results.reduce(into: Tally()) { $0 += $1.0 }
        totals.images = results.reduce(into: Set()) { $0.formUnion($1.1.keys) }.count
        progress.report(totals)
    }

    private static func take(_ next: inout (seed: UInt64, left: Int)) -> UInt64? {
        guard next.left > 0 else { return nil }
        defer { (next.seed, next.left) = (next.seed + 1, next.left - 1) }
        return next.seed
    }
}
