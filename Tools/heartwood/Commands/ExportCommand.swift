internal import ArgumentParser
internal import Heartwood

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the whole store, for 'load' to read.",
        discussion: """
            One JSON object a line, in key order, as of one point in time: 'key' and 'value', or 'key64' and 'value64' \
            in base64 if the bytes are not UTF-8, and 'expires' (milliseconds since 1970) if it is set. Loading an \
            export gives a store with the same keys, values and expiry times.

              heartwood export notes > notes.pairs
              heartwood export notes | gzip > notes.pairs.gz
              heartwood export notes | heartwood load copy - --format pairs
            """
    )

    @OptionGroup var store: StoreArgument

    @Option(help: "The format of the lines.")
    var format = Format.pairs

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case pairs
    }

    func run() async throws {
        try await store.withStore { store in
            var output = StandardOutput()
            try store.forEach { entry in
                try output.append { text in
                    text += PairsLine.bytes(entry)
                    text.append(UInt8(ascii: "\n"))
                }
                return .next
            }
            try output.flush()
        }
    }
}
