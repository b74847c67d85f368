internal import Foundation

/// The examples of a Markdown document, in their order.
///
/// A block that is fenced with "```console" is one session of a shell: each line `$ command` is run, and the lines up
/// to the next one are what it prints; a line `…` or `[...]` stands for any of them. A command whose line ends in a
/// backslash or a bar continues in the next line. A block fenced with "```console no-run" isn't run. What the
/// examples need but a reader needn't see is in a comment at the start of a line, `<!-- setup: commands -->`. It may
/// have several lines.
struct ConsoleDocument {
    /// One command, and what the document says that it prints.
    struct Step {
        var line: Int
        var command: String
        var expected: [String]
    }

    enum Part {
        case setup(line: Int, script: String)
        case session([Step])
    }

    /// What is wrong with the document itself.
    struct Problem: Error, CustomStringConvertible {
        var line: Int
        var text: String
        var description: String { "line \(line): \(text)" }
    }

    private(set) var parts: [Part] = []

    private static let fence = "```"
    private static let console = "```console"
    private static let setup = "<!-- setup:"

    init(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var index = 0
        while index < lines.count {
            let start = index
            let line = lines[index]
            index += 1
            if line.hasPrefix(Self.setup) {
                parts.append(.setup(line: start + 1, script: try Self.setup(lines, from: &index)))
            } else if line.hasPrefix(Self.fence) {
                let body = index
                while index < lines.count, !lines[index].hasPrefix(Self.fence) { index += 1 }
                guard index < lines.count else { throw Problem(line: start + 1, text: "the block has no end") }
                let steps = lines[body..<index]
                index += 1
                switch line {
                case Self.console: parts.append(.session(try Self.steps(steps)))
                case Self.console + " no-run": _ = try Self.steps(steps)
                case _ where line.hasPrefix(Self.console):
                    throw Problem(line: start + 1, text: "'\(line)' is neither '```console' nor '```console no-run'")
                default: break
                }
            } else if line.drop(while: \.isWhitespace).hasPrefix(Self.console) {
                throw Problem(line: start + 1, text: "an indented block would not be run: begin it in the first column")
            }
        }
    }

    /// The commands of a comment, whose first line is the one before `index`.
    private static func setup(_ lines: [String], from index: inout Int) throws -> String {
        let start = index
        var script = String(lines[index - 1].dropFirst(setup.count))
        while !script.hasSuffix("-->") {
            guard index < lines.count else { throw Problem(line: start, text: "the comment has no end") }
            script += "\n" + lines[index]
            index += 1
        }
        return String(script.dropLast("-->".count))
    }

    /// The commands of a block; `lines` are a slice of the document's.
    private static func steps(_ lines: ArraySlice<String>) throws -> [Step] {
        var steps: [Step] = []
        var isContinued = false
        for (index, line) in zip(lines.indices, lines) {
            if isContinued {
                steps[steps.count - 1].command += "\n" + line
                isContinued = line.hasSuffix("\\") || line.hasSuffix("|")
            } else if line.hasPrefix("$ ") {
                steps.append(Step(line: index + 1, command: String(line.dropFirst(2)), expected: []))
                isContinued = line.hasSuffix("\\") || line.hasSuffix("|")
            } else {
                guard !steps.isEmpty else {
                    throw Problem(line: index + 1, text: "a block begins with a command: '$ …'")
                }
                steps[steps.count - 1].expected.append(line)
            }
        }
        guard !steps.isEmpty else { throw Problem(line: lines.startIndex, text: "the block is empty") }
        return steps
    }
}
