internal import ArgumentParser
internal import Heartwood

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print a store, or a range of its keys, for 'load' to read.",
        discussion: """
            One JSON object a line, in key order, as of one point in time: 'key' and 'value', or 'key64' and 'value64' \
            in base64 if the bytes are not UTF-8, and 'expires' (milliseconds since 1970) if it is set. Loading an \
            export gives a store with the same keys, values and expiry times. '--hex' prints keyHex and valueHex in \
            hexadecimal, which 'load' reads too.

              heartwood export notes > notes.pairs
              heartwood export notes | gzip > notes.pairs.gz
              heartwood export notes | heartwood load copy - --format pairs
              heartwood export notes --prefix session: --limit 1000 > some.pairs
            """
    )

    @OptionGroup var store: StoreArgument

    @OptionGroup var bounds: RangeOptions
    @OptionGroup var keys: KeyOption
    @OptionGroup var limit: LimitOption

    @Option(help: "The format of the lines.")
    var format = Format.pairs

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case pairs
    }

    func validate() throws { _ = try bounds.range(keys) }

    func run() async throws {
        let range = try bounds.range(keys)
        let form = EntryText(notation: keys.notation)
        try await store.withReadView { view in
            var output = StandardOutput()
            var left = limit.most
            try view.forEach(in: range) { entry in
                try output.append { text in
                    text += form.pair(entry).bytes
                    text.append(UInt8(ascii: "\n"))
                }
                left -= 1
                return left > 0 ? .next : .stop
            }
            try output.flush()
        }
    }
}
