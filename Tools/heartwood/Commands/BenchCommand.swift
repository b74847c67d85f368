internal import ArgumentParser

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure what a store does on a disk of this machine.",
        discussion: """
            Creates a directory in the one that you name, measures in it for about half a minute, and removes it; \
            nothing else there is touched. Everything that was written is read back and compared; if it differs, the \
            figure is not printed, and the exit code is 3.

              heartwood bench .
              heartwood bench /var/lib/app --seconds 10
              heartwood bench . --value-size 1000 --records 1000000
              heartwood bench . --json --quiet > disk.json

            WHAT THE FIGURES MEAN
              raw         one thread appends 128 bytes to a file of zeros, then
                          waits for the disk, again and again: what the disk can
                          do. No single writer that waits for it can be faster
              fillsync    puts that are on the disk when they return, by 1, 64
                          and 1,024 tasks, which share its syncs; the column
                          'raw' compares them with the raw syncs
              fillrandom  puts of one task that are in the kernel when they
                          return (written), or soon after (buffered)
              fillbatch   records of one task in batches of 1,000, buffered
              readrandom  single gets of one thread, by a call (pread), or from
                          files mapped into memory (mapped)
              readseq     a scan of all records, in the order of their keys
              recovery    records that an opening reads, to build the index

            Percentiles are of the time that a put or sync took: one in a hundred took longer than p99. What is read \
            was just written, so it comes from the system's memory: reads and recovery don't measure the disk.

            Keys are 16 random bytes, values are random, and the same in every run. On a machine that others use, \
            figures vary between and within runs: measure more than once, and for longer with '--seconds'. The full \
            benchmarks, which include other engines, are in the source's Benchmarks directory.

            A warning is given if syncs are faster than a disk can be, and if the directory is in memory (tmpfs).

            SIGINT and SIGTERM stop it: what was measured is printed, the directory is removed, and the exit code is \
            130 or 143. A second signal kills, and leaves a directory heartwood-bench-…. It ends with 73 if the \
            directory doesn't exist, with 77 if it isn't writable, and with 74 if the disk is too full.
            """
    )

    @Argument(
        help: ArgumentHelp("A directory on the disk to measure.", valueName: "directory"),
        completion: .directory)
    var directory: String

    @Option(help: ArgumentHelp("How long each figure is measured.", valueName: "seconds"))
    var seconds = 2.0

    @Option(help: ArgumentHelp("Records of the figures that don't wait for the disk.", valueName: "count"))
    var records = 200_000

    @Option(help: ArgumentHelp("Size of the values.", valueName: "bytes"))
    var valueSize = 100

    @Flag(help: "Print a JSON object; sizes in bytes, times in seconds or, if the name says so, nanoseconds.")
    var json = false

    @Flag(help: "Show no progress, and print nothing but the figures and warnings.")
    var quiet = false

    private var options: BenchOptions { BenchOptions(seconds: seconds, records: records, valueBytes: valueSize) }

    func validate() throws {
        try PathArgument.validate(directory, "the directory")
        if let problem = options.problem { throw ValidationError(problem) }
    }

    func run() async throws {
        Signals.noteRequestsToStop()
        let plan = BenchPlan(options)
        let start = Ticks.now
        let measurements = try await measure(plan)
        let report = BenchReport(
            path: directory, plan: plan, disk: MountedFileSystem(of: directory), measurements: measurements,
            seconds: Ticks.seconds(from: start))
        try show(report)
        guard report.isComplete else {
            StandardError.say(
                "stopped: \(Numbers.count(measurements.count, "figure")) of \(plan.figures.count) measured")
            throw QuietExit.stopped
        }
    }

    private func measure(_ plan: BenchPlan) async throws -> [Measurement] {
        let tally = Tally<BenchStep>()
        let bar = ProgressBar { quiet ? nil : tally.progress }
        defer { bar.end() }
        return try await BenchRun(plan: plan, tally: tally).measure(in: directory)
    }

    private func show(_ report: BenchReport) throws {
        if json {
            try StandardOutput.printLine(report.json.string)
        } else if !report.measurements.isEmpty {
            for line in report.lines(Style.ofStandardOutput) { try StandardOutput.printLine(line) }
            if !quiet, report.isComplete { try StandardOutput.printLine(report.remark) }
        }
        for warning in report.warnings { StandardError.say("warning: \(warning)") }
    }
}
