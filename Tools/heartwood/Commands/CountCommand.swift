internal import ArgumentParser
internal import Heartwood

struct CountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Print the number of keys of a store, or of a range.",
        discussion: """
            Counts the keys that 'scan' with the same options prints. It reads no value. An empty range is no error: \
            it has 0 keys. The number has no commas, so that a script can read it.

              heartwood count notes
              heartwood count notes --prefix session:
              heartwood count app --model cities
              heartwood count notes --from a --to n --json
                {"count":12}
            """
    )

    @OptionGroup var store: StoreArgument
    @OptionGroup var selection: SelectionOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let count = try await store.withReadView { view in
            try view.scan(try await selection.records(in: view, of: store).range).count()
        }
        try StandardOutput.printLine(json ? (["count": count] as JSONText).string : String(count))
    }
}
