internal import Foundation
internal import Testing

/// Checks that the Swift of the documents, and of the doc comments of modules that a trait enables, compiles.
///
/// A block that is fenced with "```swift" follows a comment at the start of a line, which says what compiles it: `<!--
/// path/of/a/file.swift -->` if that file, in a test target, has all its lines, consecutive except for indentation;
/// `<!-- compiled by Tools/name -->` if that tool takes the block from the document. Tools/contexts compiles all blocks
/// of a page in each context, with the imports that the page names; Tests/Contexts/pages.txt says which pages. A doc
/// comment needs no such comment: Tools/contexts compiles its blocks, unless the file of the same name in
/// Tests/Contexts/Documents/Comments has its lines, which another package compiles.
@Suite("the documents' Swift")
struct SnippetTests {
    private struct Block {
        let line: Int
        let source: Source
        let lines: [Substring]
    }

    private enum Source {
        case file(String)
        case tool(String)
        case unknown
    }

    /// The documents whose blocks a tool takes, in addition to Tools/contexts.
    private static let tools = [
        "README.md": "Tools/quick-start", "Documentation/Services.md": "Tools/quick-start",
        "Documentation/Tutorial.md": "Tools/tutorial",
    ]

    /// Every document of the repository that has Swift in it.
    static let documents: [String] = {
        let directories = ["", "Documentation/", "Benchmarks/"]
        return directories.flatMap { directory -> [String] in
            let url = ConsoleRun.root.appendingPathComponent(directory)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
            return names.filter { $0.hasSuffix(".md") }.map { directory + $0 }
        }
        .filter { (try? text($0))?.contains("```swift") == true }
        .sorted()
    }()

    /// The documents whose blocks Tools/contexts compiles.
    private static let pages: Set<String> = {
        let parts = ((try? text("Tests/Contexts/pages.txt")) ?? "").components(separatedBy: "\npage ").dropFirst()
            .filter { !$0.contains("\nelsewhere:") }
        return Set(parts.map { String($0.prefix { $0 != "\n" }) })
    }()

    /// Every source whose doc comments have Swift that Tools/contexts doesn't compile.
    static let sources: [String] = {
        let files = FileManager.default.enumerator(atPath: ConsoleRun.root.appendingPathComponent("Sources").path)
        let paths = files?.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") } ?? []
        return paths.map { "Sources/" + $0 }
            .filter { path in
                let file = "Tests/Contexts/Documents/Comments/" + (path as NSString).lastPathComponent
                return (try? text(file)) != nil
            }
            .sorted()
    }()

    @Test func thereAreFilesWithSwift() {
        #expect(Self.documents.contains("README.md"))
        #expect(Self.documents.contains("Documentation/CrashTesting.md"))
        #expect(Self.sources.contains("Sources/HeartwoodService/StoreService.swift"))
    }

    @Test("is compiled", arguments: documents + sources)
    func isCompiled(document: String) throws {
        for block in try blocks(of: document) {
            let location = SourceLocation(
                fileID: "HeartwoodToolTests/\(document)",
                filePath: ConsoleRun.root.appendingPathComponent(document).path, line: block.line, column: 1)
            switch block.source {
            case .file(let path):
                let file = try Self.text(path).split(separator: "\n", omittingEmptySubsequences: false).map(trimmed)
                let starts = 0...max(0, file.count - block.lines.count)
                let isThere = starts.contains { file[$0...].starts(with: block.lines) }
                let text = block.lines.joined(separator: "\n")
                #expect(isThere, "\(path) doesn't have:\n\(text)", sourceLocation: location)
                #expect(path.hasPrefix("Tests/") && !path.contains(".."), sourceLocation: location)
            case .tool(let path):
                let isThere = FileManager.default.isExecutableFile(
                    atPath: ConsoleRun.root.appendingPathComponent(path).path)
                let isTaken = path == "Tools/contexts" ? Self.pages.contains(document) : Self.tools[document] == path
                #expect(isThere && isTaken, "\(path) doesn't compile it", sourceLocation: location)
            case .unknown:
                Issue.record("no comment before the block says what compiles it", sourceLocation: location)
            }
        }
    }

    /// A reader needs a page's products and imports to compile its blocks.
    @Test("names its products and imports", arguments: documents)
    func namesProducts(document: String) throws {
        let (page, package) = (try Self.text(document), try Self.text("Package.swift"))
        let blocks = try blocks(of: document)
        let named = Set(blocks.flatMap { modules($0.lines) })
        for module in named where package.contains(".library(name: \"\(module)\"") {
            var needed = [".product(name: \"\(module)\", package: \"heartwood\")"]
            let trait = module.dropFirst("Heartwood".count)
            if ":,".contains(where: { package.contains("The product \(module)\($0)") }) {
                needed.append("traits: [\"\(trait)\"]")
            }
            for text in needed where !page.contains(text) { Issue.record("it imports \(module) without \(text)") }
        }
        for case .file(let path) in blocks.map(\.source) {
            let lines = try Self.text(path).split(separator: "\n")
            #expect(!lines.contains { $0.hasPrefix("@testable import ") }, "\(path) sees what users don't")
            // What only the test needs isn't in a block: Tools/contexts would find it missing.
            let unnamed = modules(lines).filter {
                $0.contains(/^(Heartwood|KeyValueStore)/) && !$0.hasSuffix("Testing") && !named.contains($0)
            }
            #expect(unnamed.isEmpty, "\(path) imports what the page doesn't name")
        }
    }

    /// The modules that lines import.
    private func modules(_ lines: some Sequence<Substring>) -> [String] {
        lines.compactMap { $0.prefixMatch(of: /import (\w+)/).map { String($0.1) } }
    }

    private func blocks(of document: String) throws -> [Block] {
        var blocks: [Block] = []
        let isSource = document.hasSuffix(".swift")
        let text = try Self.text(document).split(separator: "\n", omittingEmptySubsequences: false)
        let lines = isSource ? text.map(withoutMarker) : text
        for (index, line) in lines.enumerated() where trimmed(line).hasPrefix("```swift") {
            let code = lines[(index + 1)...].prefix { !trimmed($0).hasPrefix("```") }
            let before = index > 0 ? lines[index - 1] : ""
            let source: Source =
                if isSource {
                    .file("Tests/Contexts/Documents/Comments/" + (document as NSString).lastPathComponent)
                } else if let match = before.wholeMatch(of: /<!-- (.+\.swift) -->/) {
                    .file(String(match.1))
                } else if let match = before.wholeMatch(of: /<!-- compiled by (Tools\/.+) -->/) {
                    .tool(String(match.1))
                } else {
                    .unknown
                }
            blocks.append(Block(line: index + 1, source: source, lines: code.map(trimmed)))
        }
        return blocks
    }

    /// A line of a doc comment; a fence for any other line, so that a block ends with its comment.
    private func withoutMarker(_ line: Substring) -> Substring {
        let line = trimmed(line)
        return line.hasPrefix("///") ? line.dropFirst(3) : "```"
    }

    private func trimmed(_ line: Substring) -> Substring {
        var line = line.drop { $0 == " " }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// A file of this repository.
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: ConsoleRun.root.appendingPathComponent(path), encoding: .utf8)
    }
}
