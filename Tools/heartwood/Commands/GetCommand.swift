internal import ArgumentParser
internal import Heartwood
internal import HeartwoodRepository

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

            With '--model' the keys are ids of records of a repository, as 'scan' with '--model' prints them, and the \
            values are JSON. A text in quotes is always text; one without is a number or an identifier if it looks \
            like one and there is such a record.

              heartwood get notes greeting
              heartwood get notes photo --raw > photo.jpg
              heartwood get notes greeting farewell
              heartwood get app --model cities 3040051
              heartwood get notes greeting --json
                {"key":"greeting","value":"good morning","sequence":1}
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The keys; with '--model' the ids.", valueName: "key"))
    var key: [String]

    @OptionGroup var repository: ModelOption

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
        try repository.check(keys)
        if repository.model == nil { for key in key { _ = try keys.bytes(key) } }
    }

    func run() async throws {
        if repository.model != nil { return try await printRecords() }
        let wanted = try key.map(keys.bytes)
        let missing = try await store.withReadView { view in try print(wanted, of: view) }
        try report(
            missing.map { key in
                Failure(
                    .notFound,
                    "no key '\(keys.notation.string(key))' in \(store.path): see the keys with 'heartwood scan --keys'",
                    key: key)
            })
    }

    /// Prints all failures, the last of them by throwing it.
    private func report(_ failures: [Failure]) throws {
        for failure in failures.dropLast() { ErrorReport(failure).print() }
        if let last = failures.last { throw last }
    }

    /// Prints the entries that exist, and returns the other keys.
    private func print(_ wanted: [[UInt8]], of view: ReadView) throws -> [[UInt8]] {
        let form = EntryText(keys.notation, StoredKeyText(view))
        var output = StandardOutput()
        var missing: [[UInt8]] = []
        for key in wanted {
            guard let read = try view.readEntry(key) else {
                missing.append(key)
                continue
            }
            let entry = read.entry
            if json {
                try form.writeJSON(read, to: &output)
            } else if wanted.count > 1 {
                try form.write(read, to: &output)
                try output.writeLine("")
            } else if let long = read.long {
                try long.write(try self.form(of: key, isText: long.isText, long.count), to: &output)
                if !raw { try output.writeLine("") }
            } else if raw {
                try output.write(entry.value)
            } else if case .json(let payload) = form.names?.payload(entry.key, entry.value) {
                try output.writeLine(Self.shown(String(decoding: payload, as: UTF8.self)))
            } else {
                try output.writeLine(text(of: entry))
            }
        }
        try output.flush()
        return missing
    }

    /// Prints the records with the ids.
    private func printRecords() async throws {
        try await store.withReadView { view in
            guard let records = try await repository.records(in: view, of: store) else { return }
            if !raw { records.explainCoder() }
            var output = StandardOutput()
            var failures: [Failure] = []
            for text in key {
                guard let entry = try records.entry(text, in: view) else {
                    failures.append(missing(text, records))
                    continue
                }
                do {
                    if raw {
                        try records.writePayload(of: entry, to: &output)
                    } else {
                        try print(try records.record(entry), to: &output)
                    }
                } catch let failure as Failure where failure.status == .corruption {
                    failures.append(failure)
                }
            }
            try output.flush()
            try report(failures)
        }
    }

    private func missing(_ text: String, _ records: StoredRecords) -> Failure {
        let name = records.catalogued.name
        return Failure(
            .notFound,
            "no record '\(text)' in '\(name)': see the ids with 'heartwood scan \(store.path) --model \(name) --keys'",
            key: Array(text.utf8))
    }

    private func print(_ record: StoredRecord, to output: inout StandardOutput) throws {
        if json {
            try record.writeJSON(to: &output)
        } else if key.count > 1 {
            try record.write(to: &output)
            try output.writeLine("")
        } else if let long = record.long {
            try long.write(.base64, to: &output)
            try output.writeLine("")
        } else {
            try output.writeLine(Self.shown(String(decoding: record.payload.text, as: UTF8.self)))
        }
    }

    /// A value alone.
    private func text(of entry: Entry) throws -> String {
        if keys.isHexadecimal { return keys.notation.string(entry.value) }
        let text = String(validating: entry.value, as: UTF8.self)
        _ = try form(of: entry.key, isText: text != nil, entry.value.count)
        return Self.shown(text ?? "")
    }

    /// The form of a value alone.
    private func form(of key: [UInt8], isText: Bool, _ count: Int) throws(Failure) -> LongValue.Form {
        if raw { return .bytes }
        if keys.isHexadecimal { return .hexadecimal }
        if isText { return FileDescriptor.standardOutput.isTerminal ? .lines : .bytes }
        throw Failure(
            .badData,
            "the value of '\(Escaping.text(key))' (\(Numbers.bytes(count))) is not text: "
                + "use '--raw' for its bytes, '--hex' for hexadecimal or '--json' for base64")
    }

    /// A terminal would obey control characters; a pipe gets the bytes.
    private static func shown(_ text: String) -> String {
        FileDescriptor.standardOutput.isTerminal ? Escaping.lines(text) : text
    }
}
