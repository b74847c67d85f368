internal import ArgumentParser
internal import Foundation

/// Puts figures from results into documents.
struct FiguresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures", abstract: "Put figures from a file of results into documents.",
        discussion: """
            In Markdown, the text between the lines '<!-- figures: NAME -->' and '<!-- /figures -->' is replaced by \
            the table with that name: 'summary', 'behind' (where peers are ahead), 'machine', or a group of rows \
            ('durable', 'reading', …).

            EXAMPLE
              Benchmarks/run figures results.json README.md Benchmarks/README.md

            EXIT CODES
              0    done; with --check: everything was up to date
              1    with --check: a document has other figures; or a document can't be updated
            """)

    @Flag(help: "Change nothing; only report whether the documents have these figures.")
    var check = false

    @Argument(help: "The file that --json wrote.")
    var results: String

    @Argument(help: "The documents.")
    var documents: [String]

    func run() async throws {
        let results = try ResultsFile(path: results).readExisting()
        let figures = ReadmeFigures(results)
        var isUpToDate = true
        for document in documents {
            let text = try String(contentsOfFile: document, encoding: .utf8)
            let update: ReadmeFigures.Update
            do { update = try figures.update(text) } catch {
                throw WrongFile(path: document, reason: "can't be updated: \(error)")
            }
            guard !update.names.isEmpty else {
                throw WrongFile(path: document, reason: "has no line '<!-- figures: NAME -->'")
            }
            if !update.isUpToDate {
                isUpToDate = false
                let outdated = update.outdated.joined(separator: ", ")
                print("\(document): \(check ? "has other" : "has new") figures in \(outdated)")
            }
            if !check, !update.isUpToDate {
                try Data(update.text.utf8).write(to: URL(fileURLWithPath: document), options: .atomic)
            }
        }
        if check, !isUpToDate { throw ExitCode(1) }
    }
}
