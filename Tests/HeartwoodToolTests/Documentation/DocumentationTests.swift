internal import Foundation
internal import Testing

@Suite("the documents' examples")
struct DocumentationTests {
    /// Every document whose console blocks are run. A new one needs only a line here. ``ConsoleDocument`` says how to
    /// write the blocks, and ``ConsoleMasks`` what isn't compared.
    static let documents = [
        "README.md",
        "Documentation/CLI.md",
        "Documentation/Runbook.md",
    ]

    @Test("print what the document says", arguments: documents)
    func examples(document: String) async throws {
        let file = ConsoleRun.root.appendingPathComponent(document)
        for failure in try await ConsoleRun.failures(in: try String(contentsOf: file, encoding: .utf8)) {
            Issue.record(
                "\(document):\(failure.line): - is only in the document, + only in the output\n\(failure.text)",
                sourceLocation: SourceLocation(
                    fileID: "HeartwoodToolTests/\(file.lastPathComponent)", filePath: file.path, line: failure.line,
                    column: 1))
        }
    }
}
