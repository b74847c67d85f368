internal import ArgumentParser
internal import Heartwood
internal import HeartwoodInspection

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Tell what lies in a store, or in one of its files, without opening it.",
        discussion: """
            Reads and verifies all of it, and tells what is here: whether the store is clean, torn by a crash or \
            damaged, and whether it would open; its files and how they follow each other; what is live and dead; \
            sizes, expiry, and what compaction would gain; each finding with file and offset; and what to do next.

            It takes no lock and writes nothing (but the page that '--html' asks for), so that it may run beside a \
            program that has the store open, and on files that no program can open any more. Of stores with more than \
            about a million keys, what is live is estimated.

            '--html' makes one page with everything in it: a map of every file, down to single records.

              heartwood inspect notes
              heartwood inspect notes/0000000000000001.log
              heartwood inspect notes --json | jq .verdict
              heartwood inspect notes --html notes.html

            It ends with 0 where all is clean; with 1 where only the tail is torn, as after a crash; with 2 where \
            something is damaged or missing; with 74 where the system could not read; with 73 where nothing is there; \
            with 76 where a newer version wrote it.
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
            "Write a page about it, too, which needs no network; not into the store. Keys are in it: only this user "
                + "may read it.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    func validate() throws {
        if path.isEmpty { throw ValidationError("the store's directory has no name") }
        try PathArgument.validate(path)
        try PathArgument.validate(html)
        if html?.isEmpty == true { throw ValidationError("the page has no name") }
    }

    func run() async throws {
        let target = try html.map { try PageTarget($0, besides: path) }
        let survey = try await SurveyTask(path: path, isForPage: html != nil).run()
        let report = InspectReport(survey: survey, style: Style(for: .standardOutput))
        try target?.write(Page(survey: survey).chunks)
        if let signal = Signals.requestToStop { throw QuietExit(code: 128 + signal) }
        try StandardOutput.printLine(json ? InspectJSON(survey: survey).object.string : report.text)
        if let html, !json { try StandardOutput.printLine("\nThe page is in \(Escaping.line(html)).") }
        if survey.verdict != .clean { throw QuietExit(code: survey.verdict.exitStatus.rawValue) }
    }
}
