internal import ArgumentParser
internal import Heartwood

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load records from a file or standard input.",
        discussion: """
            FORMATS
              pairs   what 'export' writes: {"key":…,"value":…,"expires":…},
                      with key64 and value64 for bytes in base64,
                      keyHex and valueHex for bytes in hexadecimal,
                      valueJSON for a value that is JSON
              jsonl   JSON objects: each line, byte for byte, is the value;
                      the key is made from its fields
              csv     fields separated by commas, in quotes if they contain
                      commas, quotes or line ends (RFC 4180); the first line
                      names the columns. The key is made from columns; the
                      value is one of them, or a JSON object of all
              tsv     the same, separated by tabs

            Gzip is recognised. The input may be of any size: memory depends only on the longest line, and lines of \
            more than 64 MiB are refused unless '--max-line' allows them. If a key occurs twice, the later line wins. \
            A bad line is reported by its number and ends the load with 65; everything before it is loaded. Blank \
            lines are skipped. The store is created if it doesn't exist, unless '--no-create' is given.

            Each record is a write of its own, and many writes run at the same time, so that they share the disk's \
            syncs. With '--acknowledge' each key is printed, escaped as by 'scan', when its write is as durable as \
            requested: what is printed is kept, whatever happens next. The summary then goes to standard error.

            SIGINT and SIGTERM stop reading, finish the writes in progress, and print the summary; a second signal \
            kills.

              heartwood load notes people.jsonl.gz --format jsonl --key id
              heartwood load notes cities.jsonl --format jsonl \\
                  --key-template '{country}/{name}/{id}'
              heartwood load copy notes.pairs --format pairs --batch 1000
              heartwood load notes people.csv --format csv --key id
              heartwood load notes people.csv --format csv --key id --value name
              tail -f events.jsonl |
                  heartwood load events - --format jsonl --key id --acknowledge
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The input; '-' is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: "The format of the lines.")
    var format: Format

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case pairs, jsonl, csv, tsv

        /// What ends a field, if the lines are those of a table.
        var separator: UInt8? { self == .csv ? UInt8(ascii: ",") : self == .tsv ? UInt8(ascii: "\t") : nil }
    }

    @Option(
        help: ArgumentHelp(
            "jsonl: the field that is the key, a string or a number (as it is written); 'a.b' is field b of field a. "
                + "csv, tsv: the column that is the key.",
            valueName: "field"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "jsonl, csv, tsv: a key made of fields and text, such as '{country}/{id}'.", valueName: "template"))
    var keyTemplate: String?

    @Option(
        help: ArgumentHelp(
            "csv, tsv: the column that is the value. Otherwise it is a JSON object of all columns, whose values are "
                + "strings.", valueName: "column"))
    var value: String?

    @Option(
        help: ArgumentHelp(
            "csv, tsv: the names of the columns, separated by commas, for input whose first line doesn't name them.",
            valueName: "names"))
    var columns: String?

    @OptionGroup var level: DurabilityOption

    @Option(
        help: ArgumentHelp(
            "Put this many consecutive records in one write, which is all or nothing.",
            valueName: "records"))
    var batch = 1

    @Option(
        help: ArgumentHelp(
            "Writes in progress at a time; 1 keeps the order of the input. (default: 256; 4 with '--batch')",
            valueName: "writes"))
    var concurrency: Int?

    @Option(
        help: ArgumentHelp(
            "The longest line that is accepted. Such a line takes several times as much memory.",
            valueName: "MiB"))
    var maxLine = 64

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Whether to create the store if it doesn't exist.")
    var create = true

    @Flag(help: "Print each key when it is acknowledged.")
    var acknowledge = false

    @Flag(help: "Skip bad lines, and report them on standard error.")
    var skipBad = false

    @Flag(help: "Print the summary as a JSON object.")
    var json = false

    func validate() throws {
        if batch < 1 || batch > 1_000_000 {
            throw ValidationError("'--batch \(batch)' is out of range: give 1 to 1000000")
        }
        if let concurrency, concurrency < 1 || concurrency > 65_536 {
            throw ValidationError("'--concurrency \(concurrency)' is out of range: give 1 to 65536")
        }
        let longest = LineFormat.longestLineBytes >> 20 + 1
        if maxLine < 1 || maxLine > longest {
            throw ValidationError("'--max-line \(maxLine)' is out of range: give 1 to \(longest)")
        }
        _ = try lineFormat()
    }

    func run() async throws {
        let input = try InputFile(path: file)
        // Opening may take long, and can be stopped at any time.
        Signals.endAtRequests()
        let (summary, outcome) = try await store.withStore(creating: create, configure: level.configure) { store in
            Signals.noteRequestsToStop()
            return try await load(input, into: store)
        }
        // The store is closed before this. So everything is on the disk, at any durability.
        try show(summary)
        if let failure = outcome.failure { throw failure }
        if outcome.wasStopped, Signals.requestToStop != nil { throw QuietExit.stopped }
    }

    private func load(_ input: InputFile, into store: Store) async throws -> (LoadSummary, Loader.Outcome) {
        let tally = LoadTally()
        let progress = ProgressBar { tally.progress(of: input) }
        let hasFailed = OneWaySwitch()
        let reader = LoadReader(
            input, format: try lineFormat(), maximumLineBytes: maxLine << 20, recordsPerJob: batch,
            skipsBadLines: skipBad,
            isStopped: { hasFailed.isSet || Signals.requestToStop != nil })
        let loader = Loader(
            reader: reader, tally: tally, progress: progress, durability: level.durability.durability,
            concurrency: concurrency ?? (batch == 1 ? 256 : 4), acknowledges: acknowledge,
            stop: { hasFailed.set() })

        let outcome = await loader.run(into: store)
        progress.end()
        let summary = LoadSummary(
            records: tally.records, bytes: tally.bytes, seconds: tally.seconds, skippedLines: outcome.skippedLines,
            durability: level.durability, lastSequence: tally.lastSequence,
            isComplete: outcome.failure == nil && !outcome.wasStopped)
        return (summary, outcome)
    }

    private func show(_ summary: LoadSummary) throws {
        let text = json ? summary.json.string : summary.text
        if acknowledge { StandardError.print(text) } else { try StandardOutput.printLine(text) }
    }

    private func lineFormat() throws -> LineFormat {
        if format.separator == nil, value != nil || columns != nil {
            throw ValidationError("'--value' and '--columns' are for '--format csv' and 'tsv': leave them out")
        }
        if format == .pairs {
            guard key == nil, keyTemplate == nil else {
                throw ValidationError("'--key' and '--key-template' are for other formats than 'pairs': leave them out")
            }
            return .pairs
        }
        do {
            let template = try template()
            guard let separator = format.separator else { return .lines(key: template) }
            return .table(try TableFormat(separator: separator, key: template, value: value, names: columns))
        } catch let problem as KeyTemplate.Problem {
            throw ValidationError(problem.message)
        } catch let problem as JSONProblem {
            throw ValidationError("'--columns': \(problem.message)")
        }
    }

    private func template() throws -> KeyTemplate {
        let hasPaths = format == .jsonl
        switch (key, keyTemplate) {
        case (let field?, nil): return try KeyTemplate(field: field, hasPaths: hasPaths)
        case (nil, let template?): return try KeyTemplate(template: template, hasPaths: hasPaths)
        case (nil, nil): throw ValidationError("'--format \(format.rawValue)' needs '--key' or '--key-template'")
        case (_?, _?): throw ValidationError("'--key' and '--key-template' at once: leave one out")
        }
    }
}
