internal import Foundation
internal import Testing

@testable internal import heartwood_tool

/// CLI.md is complete: it has all that the tool has, and nothing else.
@Suite("the reference of the commands")
struct ReferenceTests {
    private let sandbox: Sandbox
    private let reference: Reference

    init() throws {
        sandbox = try Sandbox()
        let file = ConsoleRun.root.appendingPathComponent("Documentation/CLI.md")
        reference = Reference(try String(contentsOf: file, encoding: .utf8))
    }

    @Test("has a section for every command, which names each of its options, and no others")
    func options() async throws {
        let tool = try CommandInfo.ofTool()
        #expect(tool.visibleCommands.count >= 8)
        #expect(reference.differences(from: tool) == [])
    }

    @Test("has the table of exit codes that the help has")
    func exitCodes() async throws {
        // So wide that no line is broken.
        let help = try await sandbox.shell(#"COLUMNS=1000 "$heartwood" --help"#)
        let rows = help.lines.compactMap { line -> [String]? in
            guard let row = line.wholeMatch(of: /\s+([0-9]+)  (.+)/) else { return nil }
            return [String(row.1), String(row.2)]
        }
        #expect(rows.count > 10)
        #expect(reference.exitCodes == rows)
    }

    @Test("a reference with gaps fails")
    func teeth() throws {
        func argument(_ name: String) -> CommandInfo.Argument {
            .init(kind: "option", names: [.init(kind: "long", name: name)])
        }
        let tool = CommandInfo(
            commandName: "tool",
            subcommands: [
                .init(commandName: "get", arguments: [argument("raw"), argument("json")]),
                .init(commandName: "put", arguments: [argument("file")]),
                .init(commandName: "scan", arguments: [argument("json")]),
                .init(commandName: "secret", shouldDisplay: false),
            ])
        let text = """
            ## Common
            All have `--json`, and none `--yaml`.
            ## get
            `tool get STORE --raw`, unlike `scan --json` and `put
            --force`
            ```console
            $ tool get --json --elsewhere
            ```
            ## put
            `--file FILE`, `--`, and --nothing that is no code; `Tools/other --option`
            """
        #expect(
            Set(Reference(text).differences(from: tool)) == [
                "Common: no command has --yaml", "get: --json is not named", "get: put has no --force",
                "scan: there is no section",
            ])
    }
}

/// The sections of a Markdown document, by their headings of the second level.
private struct Reference {
    private struct Section {
        var title: String
        /// Without fenced blocks: those examples are run.
        var prose: [String] = []
    }

    /// The parser's options, which are in no command.
    private static let optionsOfAll: Set = ["--help", "--version", "--generate-completion-script"]

    private var sections: [Section] = []

    init(_ text: String) {
        var isFenced = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                isFenced.toggle()
            } else if !isFenced, line.hasPrefix("## ") {
                sections.append(Section(title: String(line.dropFirst(3))))
            } else if !isFenced, !sections.isEmpty {
                sections[sections.count - 1].prose.append(line)
            }
        }
    }

    /// What only one of both has.
    func differences(from tool: CommandInfo) -> [String] {
        let commands = Dictionary(
            uniqueKeysWithValues: (tool.subcommands ?? []).map { ($0.commandName, $0.optionNames) })
        let any = commands.values.reduce(into: Self.optionsOfAll) { $0.formUnion($1) }
        var differences: [String] = []
        for section in sections {
            for (command, option) in named(in: section, of: commands) {
                if let command, commands[command]?.contains(option) == false {
                    differences.append("\(section.title): \(command) has no \(option)")
                } else if command == nil, !any.contains(option) {
                    differences.append("\(section.title): no command has \(option)")
                }
            }
        }
        for command in tool.visibleCommands {
            guard let section = sections.first(where: { $0.title == command.commandName }) else {
                differences.append("\(command.commandName): there is no section")
                continue
            }
            let named = named(in: section, of: commands).filter { $0.command == command.commandName }.map(\.option)
            for option in command.optionNames.subtracting(named).sorted() {
                differences.append("\(command.commandName): \(option) is not named")
            }
        }
        return differences
    }

    /// The options that a section names in code, each with its command: that of the section, unless the code says
    /// another, such as `scan --json`. What is code of another program, such as `Tools/install --uninstall`, isn't
    /// meant.
    private func named(
        in section: Section, of commands: [String: Set<String>]
    ) -> [(command: String?, option: String)] {
        let code = section.prose.joined(separator: " ").matches(of: /`([^`]+)`/)
            .map { $0.1.split(separator: " ").map(String.init) }
            .filter { $0.first?.contains("/") == false }
        return code.flatMap { words in
            let command = words.first { commands[$0] != nil } ?? (commands[section.title] == nil ? nil : section.title)
            return words.filter { $0.wholeMatch(of: /--[a-z][a-z0-9-]*/) != nil }.map { (command, $0) }
        }
    }

    /// The rows of the table of exit codes, with the quotes of the help in place of Markdown's.
    var exitCodes: [[String]] {
        sections.flatMap(\.prose).compactMap { line in
            guard let row = line.wholeMatch(of: /\| ([0-9]+) \| (.+) \|/) else { return nil }
            return [String(row.1), String(row.2).replacing("`", with: "'")]
        }
    }
}
