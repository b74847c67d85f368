internal import ArgumentParser
internal import Foundation

/// The manual page, in roff, made from the help texts of the commands. The plugin of the argument parser would need its
/// own build, and knows neither exit codes nor files.
struct ManualPage {
    private(set) var text = ""

    init() throws {
        struct Dump: Decodable { let command: CommandInfo }
        let tool = try JSONDecoder().decode(Dump.self, from: Data(HeartwoodTool._dumpHelp().utf8)).command
        let commands = (tool.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
        add(#".\" Made by 'heartwood manual'."#)
        add(#".TH HEARTWOOD 1 "" "\#(HeartwoodTool.configuration.version)" "User Commands""#)
        // No hyphenation and no justification: options and examples are easier to read.
        add(".nr HY 0", ".nh", ".ad l")
        let phrase = tool.abstract.map { $0.prefix(1).lowercased() + $0.dropFirst().dropLast() } ?? ""
        add(".SH NAME", #"heartwood \- "# + Self.prose(phrase), ".SH SYNOPSIS")
        for command in commands { add(command.synopsis, ".br") }
        add("\(Self.bold("heartwood help")) [\(Self.italic("command"))]", ".SH DESCRIPTION")
        add(discussion: HeartwoodTool.introduction)
        add(".SH COMMANDS")
        for command in commands {
            add(".SS \(command.path)", command.synopsis, ".PP", Self.prose(command.abstract ?? ""), ".PP")
            add(discussion: command.discussion ?? "")
            for argument in command.positionals + command.options { add(".TP", argument.term, argument.description) }
        }
        add(".SH OPTIONS OF ALL COMMANDS")
        for option in tool.arguments ?? [] where option.isOfAll { add(".TP", option.term, option.description) }
        add(".SH EXIT STATUS", "The same for every command.", ".PP", ".PD 0")
        for status in ExitStatus.allCases {
            add(".TP 6", Self.bold(String(status.rawValue)), Self.prose(status.explanation))
        }
        add(".PD", ".PP", Self.prose(HeartwoodTool.aboutErrors), ".SH ENVIRONMENT")
        add(".TP", Self.bold("TERM"), Self.prose("If it is 'dumb', no progress and no colours are shown."))
        add(".TP", Self.bold("COLUMNS"), "The width of the help texts, instead of that of the terminal.", ".SH FILES")
        let store = Self.italic("store")
        add(".TP", store + Self.bold("/LOCK"), "Locked by the process that has the store open; contains its number.")
        add(".TP", store + Self.bold("/*.log"), "The log: every write, in order.")
        add(".TP", store + Self.bold("/*.snapshot"), "What the last compaction wrote: all records that were live then.")
        add(".TP", store + Self.bold("/*.tmp"), "Prepared, and not part of the store yet.")
        add(".PP", "Copy a store as a whole, while no process has it open.", ".SH SEE ALSO")
        add("\(Self.bold("gzip"))(1), \(Self.bold("jq"))(1)", ".PP")
        add("\(Self.italic("Documentation/CLI.md")) in the source shows what each example prints.")
    }

    private mutating func add(_ lines: String...) { text += lines.map { $0 + "\n" }.joined() }

    /// Adds a help text. A line is a paragraph, a line in capitals is a heading, and indented lines are examples.
    private mutating func add(discussion: String) {
        var example: [String] = []
        for line in (discussion + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  ") {
                example.append(Self.code(line.dropFirst(2)))
                continue
            }
            if !example.isEmpty { add(".RS 4", ".EX", example.joined(separator: "\n"), ".EE", ".RE", ".PP") }
            example = []
            guard !line.isEmpty else { continue }
            if line.allSatisfy(\.isUppercase) { add(Self.bold(line.capitalized)) } else { add(Self.prose(line), ".PP") }
        }
    }

    // MARK: - Text in ASCII, the same in every locale

    /// Running text. Quoted text is something that a user types; it becomes bold instead of quoted.
    fileprivate static func prose(_ text: some StringProtocol) -> String {
        var (result, rest) = ("", Substring(text))
        while let quote = rest.firstMatch(of: /(^|\W)'(.+?)'(?!\w)/) {
            result += escaped(rest[..<quote.range.lowerBound] + quote.1, isProse: true) + bold(quote.2)
            rest = rest[quote.range.upperBound...]
        }
        return guarded(result + escaped(rest, isProse: true))
    }

    private static func code(_ text: some StringProtocol) -> String { guarded(escaped(text, isProse: false)) }
    /// A line that begins with a dot would be a request.
    private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
    fileprivate static func bold(_ text: some StringProtocol) -> String { "\\fB\(code(text))\\fP" }
    fileprivate static func italic(_ text: some StringProtocol) -> String { "\\fI\(code(text))\\fP" }

    private static let escapes: [Unicode.Scalar: String] = [
        "\\": "\\(rs", "-": "\\-", "'": "\\(aq", "\"": "\\(dq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "…": "...",
    ]

    /// In prose, hyphens and apostrophes in words stay.
    private static func escaped(_ text: some StringProtocol, isProse: Bool) -> String {
        var (result, isInWord) = ("", false)
        for scalar in text.unicodeScalars {
            let stays = isProse && isInWord && (scalar == "-" || scalar == "'")
            let other = scalar.isASCII ? String(scalar) : String(format: "\\[u%04X]", scalar.value)
            result += stays ? String(scalar) : escapes[scalar] ?? other
            isInWord = scalar.properties.isAlphabetic
        }
        return result
    }
}

/// What the argument parser's `--experimental-dump-help` says about a command.
private struct CommandInfo: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable { let kind, name: String }
        let kind: String
        let shouldDisplay, isOptional, isRepeating: Bool
        let names: [Name]?
        let preferredName: Name?
        let valueName, defaultValue, abstract: String?
        let allValues: [String]?

        /// Every command has it.
        var isOfAll: Bool { ["help", "version"].contains(preferredName?.name) }

        /// `--batch records`, `-h, --help`, `store`
        var term: String {
            let names = kind == "flag" ? names ?? [] : [preferredName].compactMap(\.self)
            let text = names.map { ManualPage.bold(($0.kind == "long" ? "--" : "-") + $0.name) }.joined(separator: ", ")
            if kind == "flag" { return text }
            return text + (text.isEmpty ? "" : " ") + ManualPage.italic(valueName ?? "")
        }

        var description: String {
            let values = allValues.map { "values: " + $0.map(ManualPage.bold).joined(separator: ", ") }
            let notes = [values, defaultValue.map { "default: " + ManualPage.bold($0) }].compactMap(\.self)
            return ManualPage.prose(abstract ?? "") + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        }
    }

    let commandName: String
    let superCommands: [String]?
    let shouldDisplay: Bool
    let abstract, discussion: String?
    let subcommands: [CommandInfo]?
    let arguments: [Argument]?

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
}
