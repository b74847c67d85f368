/// The manual page, generated from the help texts of the commands.
struct ManualPage {
    private let tool: CommandInfo
    private var lines: [String] = []

    /// - Parameters:
    ///   - tool: The root of all commands.
    ///   - introduction: What the root's help says before its exit codes.
    ///   - version: The program's name and version.
    init(of tool: CommandInfo, introduction: String, version: String) {
        self.tool = tool
        let name = tool.commandName
        lines = [
            ".\\\" Made by '\(name) manual'.",
            ".TH \(name.uppercased()) 1 \"\" \"\(version)\" \"User Commands\"",
            // No hyphenation and no justification: options and examples are easier to read.
            ".nr HY 0", ".nh", ".ad l",
        ]
        section("NAME") { $0.add("\(name) \\- \(Roff.prose(Self.phrase(tool.abstract ?? "")))") }
        section("SYNOPSIS") { page in
            for command in tool.visibleSubcommands {
                page.add(Self.synopsis(of: command), ".br")
            }
            page.add("\(Roff.bold("\(name) help")) [\(Roff.italic("command"))]")
        }
        section("DESCRIPTION") { $0.add(discussion: introduction) }
        section("COMMANDS") { page in
            for command in tool.visibleSubcommands { page.add(command) }
        }
        section("OPTIONS OF ALL COMMANDS") { page in
            for option in tool.visibleArguments where option.isHelpOrVersion { page.add(option) }
        }
        addSurroundings()
    }

    /// The page, in roff.
    var text: String { lines.joined(separator: "\n") + "\n" }

    // MARK: - Sections

    private mutating func section(_ title: String, _ body: (inout ManualPage) -> Void) {
        add(".SH \(title)")
        body(&self)
    }

    /// The sections that aren't about a single command.
    private mutating func addSurroundings() {
        section("EXIT STATUS") { page in
            page.add("The same for every command.", ".PP", ".PD 0")
            for status in ExitStatus.allCases {
                page.add(term: Roff.bold(String(status.rawValue)), Roff.prose(status.explanation), width: 6)
            }
            page.add(".PD", ".PP", Roff.prose(HeartwoodTool.aboutErrors))
        }
        section("ENVIRONMENT") { page in
            page.add(
                term: Roff.bold("TERM"),
                Roff.prose("If it is 'dumb', no progress and no colours are shown."))
            page.add(
                term: Roff.bold("COLUMNS"), "The width of the help texts, instead of that of the terminal.")
        }
        section("FILES") { page in
            let files = [
                ("LOCK", "Locked by the process that has the store open; contains its number."),
                ("*.log", "The log: every write, in order."),
                ("*.snapshot", "What the last compaction wrote: all records that were live then."),
                ("*.tmp", "Prepared, and not part of the store yet."),
            ]
            for (file, meaning) in files {
                page.add(term: "\(Roff.italic("store"))\(Roff.bold("/" + file))", Roff.prose(meaning))
            }
            page.add(".PP", "Copy a store as a whole, while no process has it open.")
        }
        section("SEE ALSO") { page in
            page.add(
                "\(Roff.bold("gzip"))(1), \(Roff.bold("jq"))(1)", ".PP",
                "\(Roff.italic("Documentation/CLI.md")) in the source shows what each example prints.")
        }
    }

    // MARK: - Commands

    private static func synopsis(of command: CommandInfo) -> String {
        var words = [Roff.bold(command.path)]
        for option in command.options where !option.isOptional { words.append(name(of: option)) }
        for argument in command.positionals {
            let word = Roff.italic(argument.valueName ?? "") + (argument.isRepeating ? " ..." : "")
            words.append(argument.isOptional ? "[\(word)]" : word)
        }
        if command.options.contains(where: \.isOptional) { words.append("[\(Roff.italic("options"))]") }
        return words.joined(separator: " ")
    }

    private mutating func add(_ command: CommandInfo) {
        add(".SS \(command.path)", Self.synopsis(of: command), ".PP", Roff.prose(command.abstract ?? ""))
        add(discussion: command.discussion ?? "", isFollowing: true)
        for argument in command.positionals + command.options { add(argument) }
    }

    private mutating func add(_ argument: CommandInfo.Argument) {
        var text = Roff.prose(argument.abstract ?? "")
        var notes: [String] = []
        if let values = argument.allValues {
            notes.append("values: " + values.map(Roff.bold).joined(separator: ", "))
        }
        if let value = argument.defaultValue { notes.append("default: \(Roff.bold(value))") }
        if !notes.isEmpty { text += " (\(notes.joined(separator: "; ")))" }
        add(term: Self.name(of: argument), text)
    }

    /// `--batch records`, `-h, --help`, `store`
    private static func name(of argument: CommandInfo.Argument) -> String {
        let value = argument.valueName.map(Roff.italic) ?? ""
        switch argument.kind {
        case .positional: return value
        case .option: return "\(Roff.bold(argument.preferredName?.text ?? "")) \(value)"
        case .flag: return (argument.names ?? []).map { Roff.bold($0.text) }.joined(separator: ", ")
        }
    }

    // MARK: - Text

    private mutating func add(_ more: String...) { lines += more }

    private mutating func add(term: String, _ text: String, width: Int? = nil) {
        add(width.map { ".TP \($0)" } ?? ".TP", term, text)
    }

    /// Adds a help text. A line is a paragraph, a line in capitals is a heading, and indented lines are examples.
    private mutating func add(discussion: String, isFollowing: Bool = false) {
        var isFirst = !isFollowing
        var isBelowHeading = false
        var example: [Substring] = []
        for line in (discussion + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  ") {
                example.append(line.dropFirst(2))
                continue
            }
            if !example.isEmpty {
                // A heading is followed by its text without a gap.
                if !isBelowHeading { add(".PP") }
                add(".RS 4", ".EX")
                lines += example.map { Roff.code(String($0)) }
                add(".EE", ".RE")
                example = []
            }
            guard !line.isEmpty else { continue }
            if !isFirst { add(".PP") }
            isFirst = false
            isBelowHeading = line.allSatisfy(\.isUppercase)
            add(isBelowHeading ? Roff.bold(line.prefix(1) + line.dropFirst().lowercased()) : Roff.prose(String(line)))
        }
    }

    /// As it is printed after the name: "Keeps keys." becomes "keeps keys".
    private static func phrase(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
