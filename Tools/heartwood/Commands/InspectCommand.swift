internal import ArgumentParser
internal import Heartwood
internal import HeartwoodInspection
internal import HeartwoodRepository

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what is in a store, or in one of its files, without opening it.",
        discussion: """
            Reads and verifies every byte, and reports: whether the store is clean, torn by a crash or damaged, and \
            whether it would open; its files and their order; what is live and dead; sizes, expiry, and what \
            compaction would free; each finding with file and offset; and what to do next.

            It takes no lock and writes nothing except the page of '--html'. So it can run while a program has the \
            store open, and on files that no program can open any more. In a store with more than about a million \
            keys, what is live is estimated.

            '--html' writes one page with all of it: a map of every file, down to single records.

            '--by-prefix' adds which prefixes of the keys take the space: how many keys, bytes of keys and values, the \
            largest value and the longest key. Keys of repositories are grouped by repository and index. It counts \
            keys that exist, and values as they are stored. Only the 1,000 prefixes that occur first in the files are \
            followed.

              heartwood inspect notes
              heartwood inspect notes/0000000000000001.log
              heartwood inspect notes --json | jq .verdict
              heartwood inspect notes --html notes.html
              heartwood inspect notes --by-prefix --separators :

            It ends with 0 if all is clean; with 1 if only the tail is torn, as after a crash; with 2 if something is \
            damaged or missing; with 74 if the system could not read; with 73 if there is no store; with 76 if a newer \
            version wrote it.
            """
    )

    @Argument(
        help: ArgumentHelp("The directory of the store, or one of its files.", valueName: "store|file"),
        completion: .file())
    var path: String

    @Flag(help: "Print everything as a JSON object; sizes in bytes, times in milliseconds since 1970.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also write the report as a page, which needs no network; not into the store. It contains keys: only this "
                + "user may read it.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Flag(help: "Also show keys, bytes and the largest record of each prefix of the keys.")
    var byPrefix = false

    @Option(
        help: ArgumentHelp(
            "For '--by-prefix': a prefix is the part of a key up to and including the first of these ASCII "
                + "characters. The default is ':/|'.", valueName: "characters"))
    var separators: String?

    func validate() throws {
        if let separators {
            guard byPrefix else { throw ValidationError("'--separators' is for '--by-prefix': give both") }
            guard !separators.isEmpty, separators.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw ValidationError("'--separators' takes one or more ASCII characters, such as ':/'")
            }
        }
        try PathArgument.validate(path, "the store's directory")
        try PathArgument.validate(html, "the page")
    }

    func run() async throws {
        let target = try html.map { try PageTarget($0, outside: path) }
        let survey = try await survey(separators: byPrefix ? Set((separators ?? ":/|").utf8) : [])
        let names = StoredKeyText(namingKeysOf: survey)
        let report = InspectReport(survey: survey, names: names, style: Style.ofStandardOutput)
        try target?.write(Page(survey: survey, names: names).chunks)
        if Signals.requestToStop != nil { throw QuietExit.stopped }
        try StandardOutput.printLine(json ? InspectJSON(survey: survey, names: names).object.string : report.text)
        if let html, !json { try StandardOutput.printLine("\nThe page is in \(Escaping.line(html)).") }
        if survey.verdict != .clean { throw QuietExit(code: survey.verdict.exitStatus.rawValue) }
    }

    /// - Parameter separators: What separates the prefixes of keys to report; besides them, the parts of repositories
    ///   are.
    private func survey(separators: Set<UInt8>) async throws -> StoreSurvey {
        let prefixes = PrefixSelection(separators: separators, sectionLength: StoredKeyGroup.prefixLength)
        var records = RecordSelection()
        records.keyBytes = 128
        return try await InspectionTask.run { [path, html, records] progress in
            // A page shows single records, and its maps are fine.
            try StoreSurvey.make(
                of: path, cells: html == nil ? 64 : 1024, now: SystemClock().now().milliseconds,
                records: html == nil ? nil : records, prefixes: prefixes, progress: progress)
        }
    }
}
