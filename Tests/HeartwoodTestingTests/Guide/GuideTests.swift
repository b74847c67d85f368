import HeartwoodFileSystem
import Testing

/// That the code in the guides is code that runs.
@Suite struct GuideTests {
    /// A block of a guide, and the file that it is said to be from.
    private struct Block {
        let file: String
        let lines: [Substring]
    }

    @Test(arguments: ["Documentation/CrashTesting.md", "Documentation/Cookbook.md"])
    func everyBlockOfSwiftIsLiterallyInItsFile(document: String) throws {
        let guide = try text(document)
        let blocks = try blocks(of: guide)
        #expect(blocks.count > 5)
        for block in blocks {
            let file = try text(block.file).split(separator: "\n", omittingEmptySubsequences: false).map(trimmed)
            let starts = 0...max(0, file.count - block.lines.count)
            let isThere = starts.contains { file[$0...].starts(with: block.lines) }
            #expect(isThere, "\(block.file) doesn't have:\n\(block.lines.joined(separator: "\n"))")
        }
    }

    /// The blocks of Swift, each of which must follow a comment that names its file.
    private func blocks(of guide: String) throws -> [Block] {
        var blocks: [Block] = []
        var lines = guide.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var before: Substring = ""
        while let line = lines.popFirst() {
            defer { before = line }
            guard line == "```swift" else { continue }
            let file = before.wholeMatch(of: /<!-- (.+\.swift) -->/)?.1
            let code = lines.prefix { $0 != "```" }
            lines = lines.dropFirst(code.count + 1)
            blocks.append(
                Block(
                    file: String(try #require(file, "no file is named for \(code.first ?? "")")),
                    lines: code.map(trimmed)))
        }
        return blocks
    }

    private func trimmed(_ line: Substring) -> Substring {
        var line = line.drop { $0 == " " }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// A file of this repository.
    private func text(_ path: String, here: String = #filePath) throws -> String {
        let root = here.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        return String(decoding: try POSIXFileSystem().bytes(of: root + "/" + path), as: UTF8.self)
    }
}
