internal import Foundation

/// A command in the output of `--experimental-dump-help`.
struct CommandInfo: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: String
        var names: [Name]?

        /// `--key-template`; empty for an argument without a name.
        var options: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--" + $0.name } }
    }

    var commandName: String
    var shouldDisplay: Bool?
    var subcommands: [CommandInfo]?
    var arguments: [Argument]?

    /// The names of its options, except those that every command has.
    var options: Set<String> {
        Set((arguments ?? []).flatMap(\.options)).subtracting(["--help", "--version"])
    }

    /// The commands that the help lists, except the parser's `help`.
    var visibleCommands: [CommandInfo] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The root command of the built tool.
    static func ofTool(in sandbox: Sandbox) async throws -> CommandInfo {
        struct Tool: Decodable {
            var command: CommandInfo
        }
        let outcome = try await sandbox.heartwood("--experimental-dump-help")
        return try JSONDecoder().decode(Tool.self, from: Data(outcome.bytes)).command
    }
}
