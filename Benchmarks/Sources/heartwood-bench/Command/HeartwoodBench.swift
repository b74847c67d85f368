internal import ArgumentParser
internal import Foundation

/// The command line: what is measured, for how long, where, and where the figures go.
@main
struct HeartwoodBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood-bench",
        abstract: "Measures Heartwood on the disk and the processor of this machine.",
        discussion: """
            Writes, reopens and reads stores of 16-byte random keys and 100-byte random values, made from a fixed \
            seed before any clock starts. Each workload runs for some seconds, then the next, and all of them again: \
            what is shown is the median of the runs, with the lowest and the highest.

            Durable writes are shown as a ratio to the raw loop, which does nothing but append 128 bytes to a file of \
            zeros and wait for the disk (fdatasync), on the same disk, in the same minutes: it is what one writer can \
            reach at most. More writers reach more because they share syncs. Everything is checked: a store that \
            counts other writes than were made, or loses one when it is reopened, ends the run.

            Free the machine of other work first. The default takes some twenty minutes:

              swift run -c release --package-path Benchmarks heartwood-bench
              swift run -c release --package-path Benchmarks heartwood-bench --quick
              swift run -c release --package-path Benchmarks heartwood-bench --only synced-64,buffered --json figures.json

            The figures are those of the disk that holds the directory; a file system in memory says nothing of \
            durable writes. A store that grows beyond some 4 GiB of log is replaced by a fresh one, and the clock \
            stands meanwhile. Ctrl-C ends it with what was measured so far; a second one at once.

            WORKLOADS (--only takes names and groups)
            \(Self.listOfWorkloads)

            EXIT CODES
              0    done, whether targets are reached or not
              1    a workload failed; what was measured is shown
              64   the command line is wrong
              130  ended by Ctrl-C
            """
    )

    @Option(help: ArgumentHelp("Seconds for each run of each workload.", valueName: "seconds"))
    var seconds: Double?

    @Option(help: ArgumentHelp("Runs of each workload.", valueName: "count"))
    var runs: Int?

    @Flag(help: "One run of 2 s each: a look, not a figure.")
    var quick = false

    @Option(help: ArgumentHelp("Only these workloads or groups, separated by commas.", valueName: "name,…"))
    var only: String?

    @Option(
        help: ArgumentHelp(
            "Where to make stores, in a fresh directory that is deleted afterwards; by default the current directory.",
            valueName: "directory"))
    var directory = "."

    @Option(help: ArgumentHelp("Write all figures to this file too.", valueName: "file"))
    var json: String?

    private var actualSeconds: Double { seconds ?? (quick ? 2 : 10) }
    private var actualRuns: Int { runs ?? (quick ? 1 : 5) }

    func validate() throws {
        guard actualSeconds.isFinite, actualSeconds >= 0.1, actualSeconds <= 86_400 else {
            throw ValidationError("--seconds must be from 0.1 to 86400")
        }
        guard (1...1_000).contains(actualRuns) else { throw ValidationError("--runs must be from 1 to 1000") }
        do { _ = try selection() } catch { throw ValidationError("\(error)") }
    }

    private func selection() throws -> [any Workload] {
        guard let only else { return Catalogue.all }
        return try Catalogue.select(only.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
    }

    func run() async throws {
        let workloads = try selection()
        let work = try WorkDirectory(in: directory)
        defer { work.removeAll() }
        let fileSystem = MountedFileSystem.of(work.path)
        try checkDisk(work, fileSystem)
        Interrupt.listen()

        let machine = Machine.current()
        let date = Date()
        let data = Dataset(seed: 42)
        let raw = workloads.firstIndex { $0.name == RawLoop.name }
        let schedule = Schedule(workloads: workloads, raw: raw, runs: actualRuns)
        var runner = Runner(
            workloads, data: data, directory: work, seconds: actualSeconds, progress: ProgressLine())
        var failure: (any Error)?
        do { try await runner.run(schedule) } catch { failure = error }

        let report = Report(
            date: date, commandLine: CommandLine.arguments, machine: machine, directory: work.path,
            fileSystem: fileSystem, settings: Report.Settings(seconds: actualSeconds, runs: actualRuns),
            isComplete: failure == nil && !Interrupt.isRequested, cells: Report.entries(runner.cells))
        print(report.text(workloads, style: .ofStandardOutput), terminator: "")
        if let json { try report.json().write(to: URL(fileURLWithPath: json), options: .atomic) }
        if let failure { throw failure }
        if Interrupt.isRequested { throw ExitCode(130) }
    }

    /// Needs room for a full log, a segment ahead of it, and the file of the raw loop.
    private func checkDisk(_ work: WorkDirectory, _ fileSystem: MountedFileSystem?) throws {
        let needed = StoreLegs.logLimit + (1 << 30)
        guard work.freeBytes >= needed else {
            throw WrongPlace(
                "\(Numbers.bytes(work.freeBytes)) are free in \(directory), and up to \(Numbers.bytes(needed)) are needed: "
                    + "free some, or choose another disk with --directory")
        }
        if let fileSystem, fileSystem.isInMemory, directory == "." {
            throw WrongPlace(
                "the current directory is on \(fileSystem.kind), which is in memory: choose a directory on a disk with "
                    + "--directory")
        }
    }

    private static var listOfWorkloads: String {
        WorkloadGroup.allCases.map { group in
            let workloads = Catalogue.all.filter { $0.group == group }
            return "  \(group.rawValue)\n"
                + workloads.map { workload in
                    let padding = String(repeating: " ", count: max(1, 19 - workload.name.count))
                    return "    \(workload.name)\(padding)\(workload.title)"
                }.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

/// The directory can't be used for this.
struct WrongPlace: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
