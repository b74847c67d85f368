internal import Foundation

/// What the tool says of itself with `--experimental-dump-help`.
struct CommandInfo: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: String
        var names: [Name]?

        /// `--key-template`; none for what has no name.
        var options: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--" + $0.name } }
    }

    var commandName: String
    var shouldDisplay: Bool?
    var subcommands: [CommandInfo]?
    var arguments: [Argument]?

    /// The names of its options, but for those that every command has.
    var options: Set<String> {
        Set((arguments ?? []).flatMap(\.options)).subtracting(["--help", "--version"])
    }

    /// The commands that users are told of, but for `help`, which is the parser's.
    var visibleCommands: [CommandInfo] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// What the built tool says.
    static func ofTool(in sandbox: Sandbox) async throws -> CommandInfo {
        struct Tool: Decodable {
            var command: CommandInfo
        }
        let outcome = try await sandbox.heartwood("--experimental-dump-help")
        return try JSONDecoder().decode(Tool.self, from: Data(outcome.bytes)).command
    }
}
