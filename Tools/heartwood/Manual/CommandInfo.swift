internal import ArgumentParser
internal import Foundation

/// What the argument parser's `--experimental-dump-help` says about a command.
struct CommandInfo: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable { var kind, name: String }
        var kind: String
        var shouldDisplay = true
        var isOptional = false
        var isRepeating = false
        var names: [Name]?
        var preferredName: Name?
        var valueName, defaultValue, abstract: String?
        var allValues: [String]?

        /// Every command has it.
        var isOfAll: Bool { ["help", "version"].contains(preferredName?.name) }

        /// `--batch records`, `-h, --help`, `store`
        var term: String {
            let names = kind == "flag" ? names ?? [] : [preferredName].compactMap(\.self)
            let text = names.map { ManualPage.bold(($0.kind == "long" ? "--" : "-") + $0.name) }.joined(separator: ", ")
            if kind == "flag" { return text }
            return text + (text.isEmpty ? "" : " ") + ManualPage.italic(valueName ?? "")
        }

        /// `--key-template`; empty for an argument without a name.
        var longNames: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--" + $0.name } }

        var description: String {
            let values = allValues.map { "values: " + $0.map(ManualPage.bold).joined(separator: ", ") }
            let notes = [values, defaultValue.map { "default: " + ManualPage.bold($0) }].compactMap(\.self)
            return ManualPage.prose(abstract ?? "") + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        }
    }

    var commandName: String
    var superCommands: [String]?
    var shouldDisplay = true
    var abstract, discussion: String?
    var subcommands: [CommandInfo]?
    var arguments: [Argument]?

    /// The root command.
    static func ofTool() throws -> CommandInfo {
        struct Dump: Decodable { let command: CommandInfo }
        return try JSONDecoder().decode(Dump.self, from: Data(HeartwoodTool._dumpHelp().utf8)).command
    }

    /// The commands that the help lists, except the parser's `help`.
    var visibleCommands: [CommandInfo] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }

    /// `heartwood put`
    var path: String { ((superCommands ?? []) + [commandName]).joined(separator: " ") }
    private var visible: [Argument] { (arguments ?? []).filter { $0.shouldDisplay && !$0.isOfAll } }
    var positionals: [Argument] { visible.filter { $0.kind == "positional" } }
    var options: [Argument] { visible.filter { $0.kind != "positional" } }

    var synopsis: String {
        let needed = options.filter { !$0.isOptional }.map(\.term)
        let words = positionals.map { argument in
            let word = argument.term + (argument.isRepeating ? " ..." : "")
            return argument.isOptional ? "[\(word)]" : word
        }
        let rest = options.contains(where: \.isOptional) ? ["[\(ManualPage.italic("options"))]"] : []
        return ([ManualPage.bold(path)] + needed + words + rest).joined(separator: " ")
    }

    /// The names of its options, except those that every command has.
    var optionNames: Set<String> {
        Set((arguments ?? []).flatMap(\.longNames)).subtracting(["--help", "--version"])
    }
}
