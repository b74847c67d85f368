internal import ArgumentParser
internal import Foundation

/// The command line: what is measured, for how long, where, and where the figures go.
@main
struct HeartwoodBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-bench",
        abstract: "Measures Heartwood on the disk and the processor of this machine.",
        discussion: Manual.discussion
    )

    @Option(help: ArgumentHelp("Seconds for each run of each workload. (default: 10)", valueName: "seconds"))
    var seconds: Double?

    @Option(
        help: ArgumentHelp(
            "Seconds for each run of each durable workload. (default: 20, or --seconds where that is given)",
            valueName: "seconds"))
    var durableSeconds: Double?

    @Option(help: ArgumentHelp("Runs of each workload. (default: 5)", valueName: "count"))
    var runs: Int?

    @Flag(help: "One run of 2 s each: a look, not a figure.")
    var quick = false

    @Option(help: ArgumentHelp("Only these workloads or groups, separated by commas.", valueName: "name,…"))
    var only: String?

    @Flag(help: "Of --only, not what the chosen workloads are compared with.")
    var alone = false

    @Option(
        help: ArgumentHelp(
            "Keys; the groups 'large', 'memory' and 'compaction' use ten times as many too.", valueName: "count"))
    var keys = 1_000_000

    @Option(
        help: ArgumentHelp(
            "Where to make stores, in a fresh directory that is deleted afterwards; by default the current directory.",
            valueName: "directory"))
    var directory = "."

    @Option(help: ArgumentHelp("Write all figures to this file too.", valueName: "file"))
    var json: String?

    private var lengths: Lengths {
        Lengths(
            seconds: seconds ?? (quick ? 2 : 10), durableSeconds: durableSeconds ?? seconds ?? (quick ? 2 : 20))
    }
    private var actualRuns: Int { runs ?? (quick ? 1 : 5) }

    func validate() throws {
        for (name, value) in [("--seconds", lengths.seconds), ("--durable-seconds", lengths.durableSeconds)] {
            guard value.isFinite, value >= 0.1, value <= 86_400 else {
                throw ValidationError("\(name) must be from 0.1 to 86400")
            }
        }
        guard (1...1_000).contains(actualRuns) else { throw ValidationError("--runs must be from 1 to 1000") }
        guard (10_000...100_000_000).contains(keys) else {
            throw ValidationError("--keys must be from 10000 to 100000000")
        }
        guard !alone || only != nil else { throw ValidationError("--alone needs --only") }
        do { _ = try selection() } catch { throw ValidationError("\(error)") }
    }

    private func selection() throws -> [any Workload] {
        let names = only.map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
        return try Catalogue.select(names, alone: alone)
    }

    func run() async throws {
        let workloads = try selection()
        let work = try WorkDirectory(in: directory)
        defer { work.removeAll() }
        let fileSystem = MountedFileSystem.of(work.path)
        try checkDisk(work, fileSystem, workloads)
        Interrupt.listen()

        let machine = Machine.current()
        let date = Date()
        let raw = workloads.firstIndex { $0.name == RawLoop.name }
        let schedule = Schedule(workloads: workloads, raw: raw, runs: actualRuns)
        var runner = Runner(
            workloads, data: Dataset(seed: 42, keyCount: keys), directory: work, lengths: lengths,
            progress: ProgressLine())
        var failure: (any Error)?
        do { try await runner.run(schedule) } catch { failure = error }

        let report = Report(
            date: date, commandLine: CommandLine.arguments, machine: machine, peers: Catalogue.peers,
            directory: work.path, fileSystem: fileSystem,
            settings: Report.Settings(lengths: lengths, runs: actualRuns, keys: keys),
            isComplete: failure == nil && !Interrupt.isRequested, cells: Report.entries(runner.cells, lengths))
        print(report.text(workloads, style: .ofStandardOutput), terminator: "")
        if let json { try report.json().write(to: URL(fileURLWithPath: json), options: .atomic) }
        if let failure { throw failure }
        if Interrupt.isRequested { throw ExitCode(130) }
    }

    /// Needs room for a full log, a segment ahead of it, the file of the raw loop, and filled stores of every engine.
    private func checkDisk(
        _ work: WorkDirectory, _ fileSystem: MountedFileSystem?, _ workloads: [any Workload]
    ) throws {
        let isLarge = workloads.contains(where: \.isLarge)
        // A filled store takes some 160 bytes a record; there are up to a dozen, and copies of those being changed.
        let filled = UInt64(keys) * 160 * (isLarge ? 100 : 12)
        let needed = StoreLegs.logLimit + (1 << 30) + filled
        guard work.freeBytes >= needed else {
            throw WrongPlace(
                "\(Numbers.bytes(work.freeBytes)) are free in \(directory), and up to \(Numbers.bytes(needed)) are "
                    + "needed: free some, choose another disk with --directory, or fewer keys with --keys")
        }
        if let fileSystem, fileSystem.isInMemory, directory == "." {
            throw WrongPlace(
                "the current directory is on \(fileSystem.kind), which is in memory: choose a directory on a disk with "
                    + "--directory")
        }
    }
}

/// The directory can't be used for this.
struct WrongPlace: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
