internal import ArgumentParser
internal import Heartwood

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Print keys and values in key order.",
        discussion: """
            One line an entry: the key, a tab, the value. Control characters, backslashes and bytes that are not \
            UTF-8 are escaped as \\t, \\n, \\r, \\\\ and \\xHH, so that every line can be read back. '--json' prints \
            objects with key or key64, value or value64 (base64 if the bytes are not UTF-8), sequence and, if \
            set, expires (milliseconds since 1970).

            '--hex' prints keys and values as hexadecimal digits instead, and takes the keys of '--prefix', '--from' \
            and '--to' so. Keys are ordered by their bytes. An empty result is no error.

            '--expiring' prints only entries that expire, and '--expires-within' only those that expire soon: the key, \
            a tab, the value, a tab, the time in UTC. Of the other entries no value is read.

            Keys of repositories are printed as what they stand for: the repository, and a record with its id, or an \
            index with its values. '--json' prints their bytes too, and '--hex' only these. '--model' prints only the \
            records of one repository, in the order of their ids: the id, a tab, the model as JSON; with '--json' \
            objects with id, value, version, sequence and, if set, expires. A model over 16 MiB is printed in base64.

              heartwood scan notes
              heartwood scan notes --prefix session: --keys
              heartwood scan notes --from a --to n --limit 10 --reverse
              heartwood scan notes --json | jq -r .key
              heartwood scan notes --prefix 00ff --hex
              heartwood scan notes --expires-within 1h --keys
              heartwood scan app --model cities --limit 10
            """
    )

    @OptionGroup var store: StoreArgument
    @OptionGroup var selection: SelectionOptions

    @Flag(help: "Last key first.")
    var reverse = false

    @OptionGroup var limit: LimitOption

    @Flag(help: "Only entries that expire; each line ends with a tab and the time.")
    var expiring = false

    @Option(
        help: ArgumentHelp(
            "Only entries that expire within this time: a number and s, m, h or d. As '--expiring'.",
            valueName: "time"),
        transform: Lifetime.init)
    var expiresWithin: Lifetime?

    @Flag(name: .customLong("keys"), help: "Print keys only; no value is read.")
    var keysOnly = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        try await store.withReadOnlyStore { opened in
            let view = try opened.readView()
            let (records, range) = try await selection.records(in: view, of: store)
            if !keysOnly { records?.explainCoder() }
            var lines = ScanLines(
                form: EntryText(selection.keys.notation, StoredKeyText(view)), records: records, isJSON: json)
            var output = StandardOutput()
            if expiring || expiresWithin != nil {
                lines.hasExpiry = true
                let last = expiresWithin.map { opened.now + $0.duration }
                try printExpiring(in: range, of: view, until: last, &lines, to: &output)
            } else if keysOnly {
                for key in try view.scan(range, reversed: reverse).keys.prefix(limit.most) {
                    try lines.print(key, expires: nil, to: &output)
                }
            } else {
                var left = limit.most
                try view.forEachEntry(in: range, reversed: reverse) { read in
                    try lines.print(read, to: &output)
                    left -= 1
                    return left > 0 ? .next : .stop
                }
            }
            try output.flush()
            if let unreadable = lines.unreadable { throw unreadable }
        }
    }

    /// Prints the entries that expire. The index knows which ones do, so no value of the others is read.
    private func printExpiring(
        in range: KeyRange, of view: ReadView, until last: Timestamp?, _ lines: inout ScanLines,
        to output: inout StandardOutput
    ) throws {
        var left = limit.most
        for key in try view.scan(range, reversed: reverse).keys {
            guard let expires = try view.expiry(of: key)?.timestamp, expires <= last ?? expires else { continue }
            if keysOnly {
                try lines.print(key, expires: expires, to: &output)
            } else if let read = try view.readEntry(key) {
                try lines.print(read, to: &output)
            }
            left -= 1
            if left == 0 { return }
        }
    }
}
