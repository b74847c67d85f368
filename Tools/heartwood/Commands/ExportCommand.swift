internal import ArgumentParser
internal import Heartwood

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print a store, or a range of its keys, for 'load' to read.",
        discussion: """
            One JSON object a line, in key order, as of one point in time: 'key' and 'value', or 'key64' and 'value64' \
            in base64 if the bytes are not UTF-8, 'valueJSON' if the value is JSON in one line, and 'expires' \
            (milliseconds since 1970) if it is set. Loading an export gives a store with the same keys, values and \
            expiry times. '--hex' prints keyHex and valueHex in hexadecimal, which 'load' reads too. Keys of \
            repositories are exported as their bytes.

            If the store's time is ahead of the clock, '--expires-by-clock' makes all expiry times earlier by that \
            much, so that each key keeps the time that it has left.

            '--model' exports the records of one repository for other programs, in the order of their ids: objects \
            with id, value (the model as JSON), version of the model and, if set, expires. 'load' doesn't read them.

              heartwood export notes > notes.pairs
              heartwood export notes | gzip > notes.pairs.gz
              heartwood export notes | heartwood load copy - --format pairs
              heartwood export notes --prefix session: --limit 1000 > some.pairs
              heartwood export app --model cities | jq .value.name
            """
    )

    @OptionGroup var store: StoreArgument
    @OptionGroup var selection: SelectionOptions
    @OptionGroup var limit: LimitOption

    @Option(help: "The format of the lines.")
    var format = Format.pairs

    @Flag(help: "Make expiry times earlier by as much as the store's time is ahead of the clock.")
    var expiresByClock = false

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case pairs
    }

    func run() async throws {
        try await store.withReadOnlyStore { opened in
            let (view, ahead) = (try opened.readView(), opened.statistics.timeAhead)
            let (records, range) = try await selection.records(in: view, of: store)
            records?.explainCoder()
            var lines = ScanLines(
                form: EntryText(selection.keys.notation, StoredKeyText(view)), records: records, isJSON: true)
            lines.isExport = true
            var output = StandardOutput()
            var left = limit.most
            try view.forEachEntry(in: range) { read in
                var read = read
                if expiresByClock { read.entry.expires = read.entry.expires.map { $0 + (.zero - ahead) } }
                if try lines.print(read, to: &output) { left -= 1 }
                return left > 0 ? .next : .stop
            }
            try output.flush()
            if let unreadable = lines.unreadable { throw unreadable }
        }
    }
}
