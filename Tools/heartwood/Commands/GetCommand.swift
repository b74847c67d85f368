internal import ArgumentParser
internal import Heartwood

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of a key.",
        discussion: """
            Prints a value that is UTF-8 text, and a line end after it. Exits with 1 if the key doesn't exist. On a \
            terminal, control characters are escaped as by 'scan', except line ends and tabs. A value that is not text \
            is printed only on request: byte for byte with '--raw', in base64 with '--json', in digits with '--hex'.

              heartwood get notes greeting
              heartwood get notes photo --raw > photo.jpg
              heartwood get notes greeting --json
                {"key":"greeting","value":"good morning","sequence":1}
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The key.", valueName: "key"))
    var key: String

    @OptionGroup var keys: KeyOption

    @Flag(help: "Print the value's bytes and nothing else, not even a line end.")
    var raw = false

    @Flag(
        help: "Print a JSON object: key, value, sequence number and, if set, expires (milliseconds since 1970).")
    var json = false

    func validate() throws {
        if raw && json { throw ValidationError("'--raw' and '--json' at once: leave one out") }
        if raw && keys.isHexadecimal { throw ValidationError("'--raw' and '--hex' at once: leave one out") }
        _ = try keys.bytes(key)
    }

    func run() async throws {
        let key = try keys.bytes(key)
        let found = try await store.withReadView { view in try view.entry(key) }
        guard let entry = found else {
            throw Failure(
                .notFound,
                "no key '\(keys.notation.string(key))' in \(store.path): see the keys with 'heartwood scan --keys'")
        }
        if json {
            try StandardOutput.printLine(EntryText(notation: keys.notation).json(entry).string)
        } else if keys.isHexadecimal {
            try StandardOutput.printLine(keys.notation.string(entry.value))
        } else if raw {
            try StandardOutput.writeNow(entry.value)
        } else if let text = String(validating: entry.value, as: UTF8.self) {
            // A terminal would obey control characters; a pipe gets the bytes.
            try StandardOutput.printLine(FileDescriptor.standardOutput.isTerminal ? Escaping.lines(text) : text)
        } else {
            throw Failure(
                .badData,
                "the value of '\(keys.notation.string(key))' (\(Numbers.bytes(entry.value.count))) is not text: "
                    + "use '--raw' for its bytes, '--hex' for hexadecimal or '--json' for base64")
        }
    }
}
