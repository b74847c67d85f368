internal import ArgumentParser

/// Makes the file of results that is published.
struct SummaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary", abstract: "Write a smaller file of results, to be published.",
        discussion: """
            'page' and 'figures' read a summary as they read the file of a run. The tables of documents are the same. \
            A summary has no curves of latencies in rows whose figure is a rate. Figures that the tables don't compare \
            are those of one run, the run with the median.

            EXAMPLE
              Benchmarks/run summary results.json Benchmarks/Results/full.json
            """)

    @Argument(help: "The file that --json wrote.")
    var results: String

    @Argument(help: "The summary to write.")
    var summary: String

    func run() async throws {
        let results = try ResultsFile(path: results).readExisting()
        try ResultsFile(path: summary).writeSummary(results)
    }
}
