internal import ArgumentParser

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What the argument parser knows about a command: the part of its `--experimental-dump-help` that the manual page
/// needs.
struct CommandInfo: Decodable {
    struct Argument: Decodable {
        enum Kind: String, Decodable {
            case positional, option, flag
        }

        struct Name: Decodable {
            enum Kind: String, Decodable {
                case long, short, longWithSingleDash
            }

            let kind: Kind
            let name: String

            /// `--json`, `-h`
            var text: String { (kind == .long ? "--" : "-") + name }
        }

        let kind: Kind
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let preferredName: Name?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?

        /// Every command has it.
        var isHelpOrVersion: Bool { ["help", "version"].contains(preferredName?.name) }
    }

    let commandName: String
    let superCommands: [String]?
    let shouldDisplay: Bool
    let abstract: String?
    let discussion: String?
    let subcommands: [CommandInfo]?
    let arguments: [Argument]?

    /// `heartwood put`
    var path: String { ((superCommands ?? []) + [commandName]).joined(separator: " ") }

    /// The subcommands that the help lists, except `help`, which has no help of its own.
    var visibleSubcommands: [CommandInfo] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }
    var visibleArguments: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
    var positionals: [Argument] { visibleArguments.filter { $0.kind == .positional } }
    /// Its options, except those that all commands have.
    var options: [Argument] { visibleArguments.filter { $0.kind != .positional && !$0.isHelpOrVersion } }

    /// The root command with all its subcommands.
    static func ofTool() throws -> CommandInfo {
        struct Tool: Decodable {
            let command: CommandInfo
        }
        return try JSONDecoder().decode(Tool.self, from: Data(HeartwoodTool._dumpHelp().utf8)).command
    }
}
