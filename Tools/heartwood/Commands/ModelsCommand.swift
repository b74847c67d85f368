internal import ArgumentParser
internal import Heartwood
internal import HeartwoodRepository

struct ModelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "List the repositories of a store, and their indexes.",
        discussion: """
            Of each repository: its records, their size in bytes with their index entries, the version of its model, \
            and the coder. While records of older versions are left, their versions are listed too. Of each index: its \
            entries and bytes, whether it is unique, its state, and what is indexed.

            An index is ready if queries use it; building until maintenance has completed it; unmaintained if a \
            program that doesn't define it has written; dropping until maintenance has removed its entries.

            It reads every record. A store without repositories is no error.

              heartwood models app
              heartwood models app --json | jq -r .name
            """
    )

    @OptionGroup var store: StoreArgument

    @Flag(help: "Print JSON, an object a repository.")
    var json = false

    func run() async throws {
        let repositories = try await store.withReadOnlyStore { store in try await store.repositoryFigures() }
        if json {
            for repository in repositories { try StandardOutput.printLine(ModelsReport.json(repository).string) }
        } else if repositories.isEmpty {
            try StandardOutput.printLine("no repositories")
        } else {
            let report = ModelsReport(repositories: repositories, style: Style.ofStandardOutput)
            try StandardOutput.printLine(report.lines.joined(separator: "\n"))
        }
    }
}
