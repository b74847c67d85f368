internal import ArgumentParser
internal import Foundation

/// Measures, shows the table, and writes the results.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measure, and show a table (the default command).",
        discussion: """
            Each engine does the same work on the same data in its own process. Within a row every engine runs once, \
            then every engine again. The table shows the median of the runs, with the lowest and the highest. Engines \
            are compared only where a write survives the same failures once it has returned: see 'survives' in the \
            table.

            EXAMPLES
              Benchmarks/run --quick
              Benchmarks/run --only durable,readrandom --engines heartwood,rocksdb
              Benchmarks/run --full --json results.json

            EXIT CODES
              0    done
              1    a cell failed; the others are shown
              64   the command line is wrong
              130  ended by Ctrl-C; shows what was measured so far. A second Ctrl-C ends it immediately
            """)

    @Flag(help: "The central rows with few keys and short runs, in under three minutes. Not for publishing.")
    var quick = false

    @Flag(help: "All rows with long runs, in up to two and a quarter hours, for publishing. Use it with --json.")
    var full = false

    @Option(help: ArgumentHelp("Only these rows or groups, separated by commas; see 'list'.", valueName: "name,…"))
    var only: String?

    @Option(help: ArgumentHelp("Only these engines, separated by commas; see 'list'.", valueName: "name,…"))
    var engines: String?

    @Option(
        help: ArgumentHelp("Runs of each cell; some rows have fewer. (default: from the plan)", valueName: "count"))
    var runs: Int?

    @Option(
        help: ArgumentHelp(
            "Seconds of each run, also of durable writes. (default: from the plan)", valueName: "seconds"))
    var seconds: Double?

    @Option(
        help: ArgumentHelp(
            "Keys of a store, except in the rows of growth. (default: from the plan)", valueName: "count"))
    var keys: Int?

    @Option(
        help: ArgumentHelp(
            "Where to make stores, in a new directory that is deleted afterwards.", valueName: "directory"))
    var directory = "."

    @Option(
        help: ArgumentHelp(
            "Save the results to this file after each run. If it exists, the run is resumed: its results aren't "
                + "measured again.",
            valueName: "file"))
    var json: String?

    private var parameters: Parameters {
        var parameters = Parameters(quick ? .quick : full ? .full : .default)
        if let runs { parameters.runs = runs }
        if let keys { parameters.keys = keys }
        if let seconds { (parameters.seconds, parameters.durableSeconds) = (seconds, seconds) }
        return parameters
    }

    func validate() throws {
        guard !(quick && full) else { throw ValidationError("--quick and --full exclude each other") }
        guard parameters.seconds.isFinite, parameters.seconds >= 0.1, parameters.seconds <= 86_400 else {
            throw ValidationError("--seconds must be from 0.1 to 86400")
        }
        guard (1...1_000).contains(parameters.runs) else { throw ValidationError("--runs must be from 1 to 1000") }
        guard (10_000...100_000_000).contains(parameters.keys) else {
            throw ValidationError("--keys must be from 10000 to 100000000")
        }
        do { _ = (try selectedRows(), try selectedEngines()) } catch { throw ValidationError("\(error)") }
    }

    private func selectedRows() throws -> [Row] { try Catalogue(parameters).select(Self.names(only)) }

    private func selectedEngines() throws -> [EngineID] {
        guard let names = Self.names(engines) else { return EngineID.allCases }
        return try names.map { name in
            guard let engine = EngineID(rawValue: name) else {
                throw UnknownName(name, "engine", EngineID.allCases.map(\.rawValue))
            }
            return engine
        }
    }

    private static func names(_ list: String?) -> [String]? {
        list.map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    func run() async throws {
        let rows = try selectedRows()
        let chosen = try selectedEngines()
        let work = try WorkDirectory(in: directory)
        defer { work.removeAll() }
        try checkSpace(work, rows)
        Interrupt.listen()
        let fresh = Results(
            plan: parameters.plan.rawValue, command: Self.command, parameters: parameters,
            heartwood: HeartwoodEngine.version, machine: .current(directory: work.path),
            started: Date().timeIntervalSince1970, seed: parameters.seed, engines: chosen.map(\.info),
            rows: rows.map(\.info))
        let file = json.map { ResultsFile(path: $0) }
        let results = try file?.resumed(fresh) ?? fresh
        var conductor = Conductor(parameters, rows, results, in: work, file: file)
        try await conductor.run(engines: chosen.filter(\.isBuilt))
        try finish(conductor.results, file)
    }

    /// Checks that there is space for the largest row's stores of all engines, for copies of them, and for logs.
    private func checkSpace(_ work: WorkDirectory, _ rows: [Row]) throws {
        let largest =
            rows.map { row in
                row.info.keys * (row.info.valueBytes + Dataset.keyBytes) * min(16, 4 * row.engines.count)
            }.max() ?? 0
        let needed = UInt64(largest) + (6 << 30)
        guard work.freeBytes >= needed else {
            throw UnsuitableDirectory(
                "\(Numbers.bytes(work.freeBytes)) are free in \(directory), but up to \(Numbers.bytes(needed)) are "
                    + "needed: free some, choose another disk with --directory, or fewer keys with --keys")
        }
        if directory == ".", let fileSystem = MountedFileSystem(of: work.path), fileSystem.isInMemory {
            throw UnsuitableDirectory(
                "the current directory is on \(fileSystem.kind), which is in memory: choose one on a disk with "
                    + "--directory")
        }
    }

    private func finish(_ results: Results, _ file: ResultsFile?) throws {
        var results = results
        results.finished = Date().timeIntervalSince1970
        results.isInterrupted = Interrupt.isRequested
        try file?.write(results)
        print(ResultsTable(results, style: .ofStandardOutput).text, terminator: "")
        if Interrupt.isRequested { throw ExitCode(130) }
        if results.cells.contains(where: { $0.failure != nil }) { throw ExitCode(1) }
    }

    /// How to measure the same again.
    private static var command: String {
        (["Benchmarks/run"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
    }
}

/// Stores can't be made in a directory.
struct UnsuitableDirectory: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
