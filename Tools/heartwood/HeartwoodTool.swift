internal import ArgumentParser

/// The entry point. Not asynchronous, because Swift would start threads first.
@main
enum EntryPoint {
    static func main() {
        do {
            try Resources.check(for: CommandLine.arguments.dropFirst().first)
        } catch {
            HeartwoodTool.leave(with: error)
        }
        Task.detached { await HeartwoodTool.runToEnd() }
        Signals.takeAll()
    }
}

/// The root command: what `heartwood --help` prints, and the only place that turns an error into a message and an exit
/// code.
struct HeartwoodTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heartwood",
        abstract: "A key-value store in a directory: acknowledged writes survive crashes.",
        discussion: """
            \(introduction)

            EXIT CODES, the same for every command
            \(ExitStatus.table)

            \(aboutErrors)
            """,
        version: "heartwood 0.1.0",
        subcommands: [
            PutCommand.self, GetCommand.self, DeleteCommand.self, TouchCommand.self, ScanCommand.self,
            CountCommand.self, ModelsCommand.self, StatsCommand.self, WatchCommand.self, InspectCommand.self,
            VerifyCommand.self,
            LogCommand.self, RepairCommand.self, CompactCommand.self, LoadCommand.self, ExportCommand.self,
            BenchCommand.self, ManualCommand.self,
        ]
    )

    /// The introduction of the help and of the manual page.
    static let introduction = """
        A store is one directory, written by one process at a time. 'load' creates it if it doesn't exist, and so does \
        'put' with '--create'; the other commands need an existing store. Commands that only read work also while \
        another process has it open.

          heartwood put notes greeting 'good morning' --create
          heartwood get notes greeting
          heartwood scan notes --prefix gre
          heartwood load notes people.jsonl --format jsonl --key id
          heartwood export notes | gzip > notes.pairs.gz

        Keys and values on the command line are UTF-8 text. Put arguments that begin with a dash after '--':

          heartwood put notes temperature -- -4
        """

    static let aboutErrors =
        "An error is one line on standard error that says what to do; with '--json' it is a JSON object."

    /// Runs the command, and ends the process.
    static func runToEnd() async {
        Signals.ignoreFailedWrites()
        do {
            try CommandLineText.check()
            try CommandName.check()
            var command = try await asyncParseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            throw QuietExit(code: ExitStatus.done.rawValue)
        } catch {
            leave(with: error)
        }
    }
}
