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
                      keyHex and valueHex for bytes in hexadecimal
              jsonl   JSON objects: each line, byte for byte, is the value;
                      the key is made from its fields

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
        case pairs, jsonl
    }

    @Option(
        help: ArgumentHelp(
            "jsonl: the field that is the key, a string or a number (as it is written); 'a.b' is field b of field a.",
            valueName: "field"))
    var key: String?

    @Option(
        help: ArgumentHelp("jsonl: a key made of fields and text, such as '{country}/{id}'.", valueName: "template"))
    var keyTemplate: String?

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
        if outcome.wasStopped, let signal = Signals.requestToStop { throw QuietExit(code: 128 + signal) }
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

        let drawing = Task { await progress.run() }
        let outcome = await loader.run(into: store)
        drawing.cancel()
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
        do {
            switch (format, key, keyTemplate) {
            case (.pairs, nil, nil): return .pairs
            case (.pairs, _, _):
                throw ValidationError("'--key' and '--key-template' are for '--format jsonl': leave them out")
            case (.jsonl, let field?, nil): return .lines(key: try KeyTemplate(field: field))
            case (.jsonl, nil, let template?): return .lines(key: try KeyTemplate(template: template))
            case (.jsonl, nil, nil): throw ValidationError("'--format jsonl' needs '--key' or '--key-template'")
            case (.jsonl, _?, _?): throw ValidationError("'--key' and '--key-template' at once: leave one out")
            }
        } catch let problem as KeyTemplate.Problem {
            throw ValidationError(problem.message)
        }
    }
}
