internal import ArgumentParser
internal import Foundation

/// The manual page, in roff, made from the help texts of the commands. The plugin of the argument parser would need its
/// own build, and knows neither exit codes nor files.
struct ManualPage {
    private(set) var text = ""

    init() throws {
        let tool = try CommandInfo.ofTool()
        let commands = tool.visibleCommands
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
    static func prose(_ text: some StringProtocol) -> String {
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
    static func bold(_ text: some StringProtocol) -> String { "\\fB\(code(text))\\fP" }
    static func italic(_ text: some StringProtocol) -> String { "\\fI\(code(text))\\fP" }

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
