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

            Keys are ordered by their bytes. An empty result is no error.

              heartwood scan notes
              heartwood scan notes --prefix session: --keys
              heartwood scan notes --from a --to n --limit 10 --reverse
              heartwood scan notes --json | jq -r .key
            """
    )

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("Only keys that begin with this.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("Only keys from this one on.", valueName: "key"))
    var from: String?

    @Option(help: ArgumentHelp("Only keys before this one.", valueName: "key"))
    var to: String?

    @OptionGroup var keys: KeyOption

    @Flag(help: "Last key first.")
    var reverse = false

    @Option(help: ArgumentHelp("Stop after this many entries.", valueName: "count"))
    var limit: Int?

    @Flag(name: .customLong("keys"), help: "Print keys only; no value is read.")
    var keysOnly = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("'--limit \(limit)' shows nothing: give 1 or more") }
        _ = try range()
    }

    func run() async throws {
        let range = try range()
        try await store.withStore { store in
            try keysOnly ? printKeys(of: store, in: range) : printEntries(of: store, in: range)
        }
    }

    private func range() throws -> KeyRange {
        ScanRange(
            prefix: try prefix.map(keys.boundary), from: try from.map(keys.boundary), to: try to.map(keys.boundary)
        ).keys
    }

    private func printEntries(of store: Store, in range: KeyRange) throws {
        var output = StandardOutput()
        var left = limit ?? .max
        try store.forEach(in: range, reversed: reverse) { entry in
            try output.append { text in
                if json {
                    text += EntryText.json(entry).bytes
                    text.append(UInt8(ascii: "\n"))
                } else {
                    EntryText.appendLine(entry, to: &text)
                }
            }
            left -= 1
            return left > 0 ? .next : .stop
        }
        try output.flush()
    }

    private func printKeys(of store: Store, in range: KeyRange) throws {
        var output = StandardOutput()
        for key in try store.keys(in: range, reversed: reverse).prefix(limit ?? .max) {
            try output.append { text in
                if json {
                    var object = JSONText()
                    object.add("key", key)
                    text += object.bytes
                } else {
                    Escaping.append(key, to: &text)
                }
                text.append(UInt8(ascii: "\n"))
            }
        }
        try output.flush()
    }
}

/// The intersection of `--prefix`, `--from` and `--to`.
private struct ScanRange {
    private var lower: [UInt8] = []
    private var upper: [UInt8]?

    init(prefix: [UInt8]?, from: [UInt8]?, to: [UInt8]?) {
        if let prefix {
            lower = prefix
            upper = Self.successor(ofPrefix: prefix)
        }
        if let from, lower.lexicographicallyPrecedes(from) { lower = from }
        if let to, upper.map({ to.lexicographicallyPrecedes($0) }) ?? true { upper = to }
    }

    var keys: KeyRange {
        guard let upper else { return lower.isEmpty ? .all : .from(lower) }
        return lower.isEmpty ? .upTo(upper) : .range(from: lower, to: upper)
    }

    /// The first key after all that begin with `prefix`; nil if there is none.
    private static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        return prefix[..<last] + [prefix[last] + 1]
    }
}
