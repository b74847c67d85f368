internal import ArgumentParser
internal import Foundation

/// Makes the page from results.
struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "Make the HTML page from a file of results.",
        discussion: """
            The page is one file that needs no other file and no network.

            EXAMPLE
              Benchmarks/run page results.json results.html
            """)

    @Argument(help: "The file that --json wrote.")
    var results: String

    @Argument(help: "The page to write.")
    var page: String

    func run() async throws {
        let results = try ResultsFile(path: results).readExisting()
        try Self.write(results, to: page)
    }

    static func write(_ results: Results, to path: String) throws {
        try Data(ResultsPage.html(results).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
