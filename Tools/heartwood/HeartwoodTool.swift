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
        abstract: "Keeps keys and values in a directory, so that what is acknowledged is kept.",
        discussion: """
            \(introduction)

            EXIT CODES, the same for every command
            \(ExitStatus.table)

            \(aboutErrors)
            """,
        version: "heartwood 0.1.0",
        subcommands: [
            PutCommand.self, GetCommand.self, DeleteCommand.self, ScanCommand.self,
            StatsCommand.self, InspectCommand.self, VerifyCommand.self, LogCommand.self, RepairCommand.self,
            CompactCommand.self, LoadCommand.self, ExportCommand.self, BenchCommand.self,
            ManualCommand.self,
        ]
    )

    /// The introduction of the help and of the manual page.
    static let introduction = """
        A store is one directory, used by one process at a time. 'put' and 'load' make it if it isn't there; \
        the other commands want one that is. 'inspect', 'verify', 'log' and 'repair' work on its files alone, also \
        beside a process that has it open.

          heartwood put notes greeting 'good morning'
          heartwood get notes greeting
          heartwood scan notes --prefix gre
          heartwood load notes people.jsonl --format jsonl --key id
          heartwood export notes | gzip > notes.pairs.gz

        Keys and values on the command line are UTF-8 text. What begins with a dash comes after '--':

          heartwood put notes temperature -- -4
        """

    static let aboutErrors = "An error is one line on standard error, which ends with what to do about it."

    /// Runs the command, and ends the process.
    static func runToEnd() async {
        Signals.ignoreFailedWrites()
        do {
            try CommandLineText.check()
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
