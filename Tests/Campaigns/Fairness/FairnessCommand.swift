internal import ArgumentParser
internal import Heartwood
internal import HeartwoodCampaignSupport

/// How long a process that is busy with a store delays its other tasks.
struct FairnessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fairness",
        abstract: "Measures how long loops of puts and reads delay other tasks of the process.",
        discussion: """
            Each run keeps a store busy with loops in tasks, while one more task sleeps for a millisecond in a loop, \
            as a heartbeat. The table has, over all runs, the median and the maximum of each run's worst put and worst \
            heartbeat, in milliseconds, and the median throughput.

            Loops of puts and of 'fetch' suspend after a time slice. A loop of 'get' is synchronous and can't suspend: \
            those rows have no limit, and show what such a loop does to a process. The last row is the disk alone: the \
            bytes of the first row, at its rate, by a loop of write calls, with a sync every 64 MiB.

            Exit codes: 0 all rows are within their limits; 1 in a row that has a limit, the median of a worst put or \
            heartbeat is over 20 ms, or one is over 100 ms and over the worst of the disk alone.
            """)

    @Option(help: "How many runs of each row.")
    var runs = 10

    @Option(help: "How long a run takes, in milliseconds.")
    var milliseconds = 1_000

    @Option(help: "How many tasks loop.")
    var tasks = 8

    @Option(help: "Where the stores are made; a directory for temporary files by default.")
    var directory: String?

    func validate() throws {
        guard runs > 0, milliseconds > 0, tasks > 0 else {
            throw ValidationError("--runs, --milliseconds and --tasks must be more than 0")
        }
    }

    func run() async throws {
        say("fairness: \(runs) runs of \(milliseconds) ms, \(tasks) tasks; times in ms")
        let line = ProgressLine()
        var table = TextTable(FairnessRow.header)
        var rows: [FairnessRow] = []
        for load in FairnessRun.Load.all {
            var row = FairnessRow(load)
            for number in 0..<runs {
                line.show("\(load.name): run \(number + 1) of \(runs)")
                let parent = try TemporaryDirectory.make("fairness", in: directory)
                defer { TemporaryDirectory.remove(parent) }
                let run = FairnessRun(
                    load: load, tasks: tasks, duration: .milliseconds(milliseconds), path: parent + "/store",
                    putsPerSecond: rows.first?.putsPerSecond ?? 0)
                row.add(try await run.run())
            }
            table.add(row.cells)
            rows.append(row)
        }
        line.clear()
        table.print()
        guard rows.allSatisfy({ $0.isFair(beside: rows.last!) }) else { throw ExitCode(1) }
    }
}

/// The results of the runs of one load.
private struct FairnessRow {
    /// The limits of the median of each run's worst, and of the worst of all, in ms.
    private static let (most, mostOfAll) = (20.0, 100.0)
    static let header = ["", "put: median", "worst", "heartbeat: median", "worst", "puts/s", "reads/s", ""]

    private let load: FairnessRun.Load
    private var outcomes: [FairnessRun.Outcome] = []

    init(_ load: FairnessRun.Load) { self.load = load }

    mutating func add(_ outcome: FairnessRun.Outcome) { outcomes.append(outcome) }

    private var puts: [Double] { outcomes.map(\.worstPut).sorted() }
    private var heartbeats: [Double] { outcomes.map(\.worstHeartbeat).sorted() }

    var putsPerSecond: Double { Self.median(outcomes.map(\.putsPerSecond).sorted()) }

    func isFair(beside disk: FairnessRow) -> Bool {
        let most = max(Self.mostOfAll, disk.puts.last ?? 0)
        return !load.isLimited
            || [puts, heartbeats].allSatisfy { Self.median($0) <= Self.most && $0.last ?? 0 <= most }
    }

    var cells: [String] {
        let times = [Self.median(puts), puts.last ?? 0, Self.median(heartbeats), heartbeats.last ?? 0]
        let rates = [putsPerSecond, Self.median(outcomes.map(\.readsPerSecond).sorted())]
        return [load.name] + times.map { "\(($0 * 10).rounded() / 10)" } + rates.map { "\(Int($0))" }
            + [load.isLimited ? "" : "no limit"]
    }

    private static func median(_ sorted: [Double]) -> Double {
        (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
