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

              heartwood scan notes
              heartwood scan notes --prefix session: --keys
              heartwood scan notes --from a --to n --limit 10 --reverse
              heartwood scan notes --json | jq -r .key
              heartwood scan notes --prefix 00ff --hex
            """
    )

    @OptionGroup var store: StoreArgument

    @OptionGroup var bounds: RangeOptions
    @OptionGroup var keys: KeyOption

    @Flag(help: "Last key first.")
    var reverse = false

    @OptionGroup var limit: LimitOption

    @Flag(name: .customLong("keys"), help: "Print keys only; no value is read.")
    var keysOnly = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws { _ = try bounds.range(keys) }

    func run() async throws {
        let range = try bounds.range(keys)
        try await store.withReadView { view in
            var output = StandardOutput()
            if keysOnly {
                for key in try view.keys(in: range, reversed: reverse).prefix(limit.most) {
                    try output.append { line(key, to: &$0) }
                }
            } else {
                var left = limit.most
                try view.forEach(in: range, reversed: reverse) { entry in
                    try output.append { line(entry, to: &$0) }
                    left -= 1
                    return left > 0 ? .next : .stop
                }
            }
            try output.flush()
        }
    }

    private func line(_ entry: Entry, to text: inout [UInt8]) {
        let form = EntryText(notation: keys.notation)
        if json { text += form.json(entry).bytes } else { form.append(entry, to: &text) }
        text.append(UInt8(ascii: "\n"))
    }

    private func line(_ key: [UInt8], to text: inout [UInt8]) {
        if json {
            var object = JSONText()
            keys.notation.add("key", key, to: &object)
            text += object.bytes
        } else {
            keys.notation.append(key, to: &text)
        }
        text.append(UInt8(ascii: "\n"))
    }
}
