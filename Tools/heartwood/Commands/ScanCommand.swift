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

              heartwood scan notes
              heartwood scan notes --prefix session: --keys
              heartwood scan notes --from a --to n --limit 10 --reverse
              heartwood scan notes --json | jq -r .key
              heartwood scan notes --prefix 00ff --hex
              heartwood scan notes --expires-within 1h --keys
            """
    )

    @OptionGroup var store: StoreArgument

    @OptionGroup var bounds: RangeOptions
    @OptionGroup var keys: KeyOption

    @Flag(help: "Last key first.")
    var reverse = false

    @OptionGroup var limit: LimitOption

    @Flag(help: "Only entries that expire; each line ends with a tab and the time.")
    var expiring = false

    @Option(
        help: ArgumentHelp(
            "Only entries that expire within this time: a number and s, m, h or d. As '--expiring'.", valueName: "time")
    )
    var expiresWithin: Lifetime?

    @Flag(name: .customLong("keys"), help: "Print keys only; no value is read.")
    var keysOnly = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws { _ = try bounds.range(keys) }

    func run() async throws {
        let range = try bounds.range(keys)
        try await store.withReadView { view in
            var output = StandardOutput()
            if expiring || expiresWithin != nil {
                try printExpiring(in: range, of: view, to: &output)
            } else if keysOnly {
                for key in try view.keys(in: range, reversed: reverse).prefix(limit.most) {
                    try output.append { appendLine(key, to: &$0) }
                }
            } else {
                var left = limit.most
                try view.forEach(in: range, reversed: reverse) { entry in
                    try output.append { appendLine(entry, to: &$0) }
                    left -= 1
                    return left > 0 ? .next : .stop
                }
            }
            try output.flush()
        }
    }

    /// Prints the entries that expire. The index knows which ones do, so no value of the others is read.
    private func printExpiring(in range: KeyRange, of view: ReadView, to output: inout StandardOutput) throws {
        let last = expiresWithin.map { SystemClock().now() + $0.duration }
        var left = limit.most
        for key in try view.keys(in: range, reversed: reverse) {
            guard let expires = try view.expiry(of: key)?.timestamp, expires <= last ?? expires else { continue }
            if keysOnly {
                try output.append { appendLine(key, expires: expires, to: &$0) }
            } else if let entry = try view.entry(key) {
                try output.append { appendLine(entry, expires: expires, to: &$0) }
            }
            left -= 1
            if left == 0 { return }
        }
    }

    // MARK: - Lines

    private func appendLine(_ entry: Entry, expires: Timestamp? = nil, to text: inout [UInt8]) {
        let form = EntryText(notation: keys.notation)
        if json { text += form.json(entry).bytes } else { form.append(entry, to: &text) }
        endLine(expires, &text)
    }

    private func appendLine(_ key: [UInt8], expires: Timestamp? = nil, to text: inout [UInt8]) {
        if json {
            var object = JSONText()
            keys.notation.add("key", key, to: &object)
            if let expires { object.add("expires", expires.milliseconds) }
            text += object.bytes
        } else {
            keys.notation.append(key, to: &text)
        }
        endLine(expires, &text)
    }

    private func endLine(_ expires: Timestamp?, _ text: inout [UInt8]) {
        if let expires, !json { text += "\t\(Numbers.moment(expires.milliseconds))".utf8 }
        text.append(UInt8(ascii: "\n"))
    }
}
