internal import ArgumentParser
internal import Heartwood

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the values of keys.",
        discussion: """
            Prints a value that is UTF-8 text, and a line end after it. Exits with 1 if the key doesn't exist. On a \
            terminal, control characters are escaped as by 'scan', except line ends and tabs. A value that is not text \
            is printed only on request: byte for byte with '--raw', in base64 with '--json', in digits with '--hex'.

            Of several keys, prints one line each, as 'scan' does: the key, a tab, the value. They are in the order \
            in which they were given, and of one point in time. If some don't exist, the others are printed, the \
            missing ones are named on standard error, and it exits with 1.

              heartwood get notes greeting
              heartwood get notes photo --raw > photo.jpg
              heartwood get notes greeting farewell
              heartwood get notes greeting --json
                {"key":"greeting","value":"good morning","sequence":1}
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The keys.", valueName: "key"))
    var key: [String]

    @OptionGroup var keys: KeyOption

    @Flag(help: "Print the value's bytes and nothing else, not even a line end. Only for one key.")
    var raw = false

    @Flag(
        help:
            "Print JSON, an object a line: key, value, sequence number and, if set, expires (milliseconds since 1970).")
    var json = false

    func validate() throws {
        if raw && json { throw ValidationError("'--raw' and '--json' at once: leave one out") }
        if raw && keys.isHexadecimal { throw ValidationError("'--raw' and '--hex' at once: leave one out") }
        if raw && key.count > 1 { throw ValidationError("'--raw' of several keys would run together: give one key") }
        for key in key { _ = try keys.bytes(key) }
    }

    func run() async throws {
        let wanted = try key.map(keys.bytes)
        let missing = try await store.withReadView { view in try print(wanted, of: view) }
        let failures = missing.map { key in
            Failure(
                .notFound,
                "no key '\(keys.notation.string(key))' in \(store.path): see the keys with 'heartwood scan --keys'",
                key: key)
        }
        for failure in failures.dropLast() { ErrorReport(failure).print() }
        if let last = failures.last { throw last }
    }

    /// Prints the entries that exist, and returns the other keys.
    private func print(_ wanted: [[UInt8]], of view: ReadView) throws -> [[UInt8]] {
        var output = StandardOutput()
        var missing: [[UInt8]] = []
        for key in wanted {
            guard let entry = try view.entry(key) else {
                missing.append(key)
                continue
            }
            if wanted.count > 1 || json {
                try output.append { text in
                    let form = EntryText(notation: keys.notation)
                    if json { text += form.json(entry).bytes } else { form.append(entry, to: &text) }
                    text.append(UInt8(ascii: "\n"))
                }
            } else if raw {
                try output.write(entry.value)
            } else {
                try output.writeLine(text(of: entry))
            }
        }
        try output.flush()
        return missing
    }

    /// A value alone.
    private func text(of entry: Entry) throws -> String {
        if keys.isHexadecimal { return keys.notation.string(entry.value) }
        guard let text = String(validating: entry.value, as: UTF8.self) else {
            throw Failure(
                .badData,
                "the value of '\(Escaping.text(entry.key))' (\(Numbers.bytes(entry.value.count))) is not text: "
                    + "use '--raw' for its bytes, '--hex' for hexadecimal or '--json' for base64")
        }
        // A terminal would obey control characters; a pipe gets the bytes.
        return FileDescriptor.standardOutput.isTerminal ? Escaping.lines(text) : text
    }
}
