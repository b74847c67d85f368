internal import ArgumentParser
internal import Heartwood

struct PutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Set the value of a key.",
        discussion: """
            Returns when the value is as durable as '--durability' says. The store must exist; '--create' makes a new \
            one if it doesn't. Prints nothing if it succeeds; '--json' prints the write's sequence number.

            With '--if-absent' it writes only a new key: if the key exists, it exits with 1. A key that has expired \
            doesn't exist.

              heartwood put notes greeting 'good morning' --create
              heartwood put notes session:17 open --expires-in 30m
              heartwood put notes owner "$HOSTNAME" --if-absent
              heartwood put notes photo --file photo.jpg
              curl -s https://example.org | heartwood put notes page --file -
              heartwood put notes temperature -- -4
              heartwood put notes 00ff 0102 --hex
            """
    )

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The key: 1 to 65,535 bytes of UTF-8.", valueName: "key"))
    var key: String

    @Argument(help: ArgumentHelp("The value, as UTF-8. Or use '--file'.", valueName: "value"))
    var value: String?

    @OptionGroup var keys: KeyOption

    @Option(
        help: ArgumentHelp("Read the value, of any bytes, from a file; '-' is standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            "Let the value expire after this time: a number and s, m, h or d.", valueName: "time"),
        transform: Lifetime.init)
    var expiresIn: Lifetime?

    @Flag(help: "Write nothing if the key exists already, and exit with 1.")
    var ifAbsent = false

    @OptionGroup var level: DurabilityOption

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Whether to create the store if it doesn't exist.")
    var create = false

    @Flag(help: "Print the key and the write's sequence number as a JSON object.")
    var json = false

    func validate() throws {
        if value == nil && file == nil { throw ValidationError("no value: give one after the key, or '--file'") }
        if value != nil && file != nil { throw ValidationError("a value and '--file' at once: leave one out") }
        try expiresIn?.check("for ever, leave it out")
        _ = try keys.bytes(key)
        _ = try value.map(keys.value)
    }

    func run() async throws {
        let key = try keys.bytes(key)
        let value = try valueBytes()
        let sequence = try await store.withStore(creating: create, configure: level.configure) { store in
            do {
                return try await store.put(
                    key, value, expires: expiresIn.map { .after($0.duration) } ?? .never,
                    if: ifAbsent ? .absent : nil, durability: level.durability.durability)
            } catch let error as StoreError where error.code == .conflict {
                throw exists(key)
            }
        }
        guard json else { return }
        var object = JSONText()
        keys.notation.add("key", key, to: &object)
        object.add("sequence", sequence)
        try StandardOutput.printLine(object.string)
    }

    private func exists(_ key: [UInt8]) -> Failure {
        Failure(
            .notFound,
            "key '\(keys.notation.string(key))' exists already in \(store.path), and nothing was written: "
                + "leave '--if-absent' out to replace its value", code: "exists", key: key)
    }

    private func valueBytes() throws -> [UInt8] {
        guard let file else { return try keys.value(value ?? "") }
        let limit = Store.Configuration().maximumValueBytes
        let input = try InputFile(path: file)
        var bytes: [UInt8] = []
        if let size = input.size { bytes.reserveCapacity(min(size, limit)) }
        try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
            while case let count = try input.read(into: buffer, unless: { false }), count > 0 {
                bytes += buffer[..<count]
                if bytes.count > limit {
                    throw Failure(
                        .badData,
                        "\(input.name) is larger than \(Numbers.bytes(limit)), the most a value may have: split it")
                }
            }
        }
        return bytes
    }
}
