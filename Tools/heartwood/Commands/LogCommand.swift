internal import ArgumentParser
internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection
internal import HeartwoodRepository

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print the records of a store's log, or of one of its files, in order.",
        discussion: """
            One line a record: its offset in the file, its number and position in the batch, what it does, bytes of \
            its value as stored, when it was committed, its key. For a store, all of the log that still exists is \
            printed. Older records are in the snapshot; if you name its file, it is printed in key order.

            It takes no lock and can run while a program has the store open; 'watch' prints what is written from then \
            on. Damage is reported and skipped, and the whole records after it are printed.

              heartwood log notes
              heartwood log notes --key session:17 --values
              heartwood log notes --prefix user: --kind delete --since 2h
              heartwood log notes --json | jq -c '{sequence, key}'
              heartwood log notes/0000000000000001.log --from 100 --to 120 --hex
              heartwood log app --model cities --key 2633274 --values

            It ends as 'verify' does: 0 clean, 1 torn, 2 damaged, 74 unreadable.
            """
    )

    @Argument(
        help: ArgumentHelp("The directory of the store, or one of its files.", valueName: "store|file"),
        completion: .file())
    var path: String

    @OptionGroup var keys: KeyOption

    @OptionGroup var repository: ModelOption

    @Option(help: ArgumentHelp("Only records of this key; with '--model' of this id.", valueName: "key"))
    var key: String?

    @Option(help: ArgumentHelp("Only records of keys that begin with this.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("Only from this write number on.", valueName: "number"))
    var from: UInt64?

    @Option(help: ArgumentHelp("Only up to this write number.", valueName: "number"))
    var to: UInt64?

    @Option(help: ArgumentHelp("Only records committed at this time or later: \(Moment.help).", valueName: "time"))
    var since: Moment?

    @Option(help: ArgumentHelp("Only records committed up to this time.", valueName: "time"))
    var until: Moment?

    @Option(
        help: ArgumentHelp("Only records that do this; may be given more than once.", valueName: "put|delete|other"))
    var kind: [LogKind] = []

    @Flag(help: "Also print values.")
    var values = false

    @Option(help: ArgumentHelp("Stop after this many records.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        try PathArgument.validate(path, "the store's directory")
        if let limit, limit < 1 { throw ValidationError("'--limit \(limit)' shows nothing: give 1 or more") }
        if let from, let to, from > to { throw ValidationError("'--from \(from)' is after '--to \(to)'") }
        if let since, let until, since.milliseconds > until.milliseconds {
            throw ValidationError("'--since' is after '--until'")
        }
        try repository.check(keys, isRange: prefix != nil)
        _ = try filter()
    }

    private func filter() throws -> LogFilter {
        var filter = LogFilter()
        if repository.model == nil {
            filter.key = try key.map(keys.bytes)
            filter.prefix = try prefix.map(keys.boundary)
        } else {
            filter.prefix = [KeyLayout.root]
        }
        if !keys.isHexadecimal { filter.noted = KeyLayout.catalogue }
        filter.sequences = (from ?? 0)...max(from ?? 0, to ?? .max)
        filter.times = (since?.milliseconds ?? 0)...max(since?.milliseconds ?? 0, until?.milliseconds ?? .max)
        if !kind.isEmpty { filter.kinds = Set(kind.flatMap(\.bytes)) }
        filter.withValues = values
        filter.mostValueBytes = LongValue.heldBytes
        return filter
    }

    func run() async throws {
        let filter = try filter()
        Priority.yieldToOthers()
        Signals.endAtRequests()
        let verdict = try print(filter)
        if verdict != .clean { throw QuietExit(code: verdict.exitStatus.rawValue) }
    }

    /// Prints all requested records. Blocks its thread, because nothing else runs.
    private func print(_ filter: LogFilter) throws -> Verdict {
        var output = StandardOutput()
        let isFile = (try? POSIXFileSystem().kind(of: path)) != .directory
        var writer = LogLine(keys.notation, style: Style.ofStandardOutput, lonePath: isFile ? path : nil)
        let most = limit ?? .max
        var left = most
        let verdict = try LogReading.run(path, filter) { item in
            if case .record(let record) = item, !isWanted(record.key, writer.form.names) { return true }
            try writer.write(item, asJSON: json, to: &output)
            if case .record = item { left -= 1 }
            return left > 0
        }
        try output.flush()
        if left == most, verdict == .clean { try noteNothing(writer.form.names) }
        return verdict
    }

    /// Whether a key is that of a record of the repository, and of the id if one is given.
    private func isWanted(_ found: [UInt8], _ names: StoredKeyText?) -> Bool {
        guard let model = repository.model, let names else { return true }
        return names.repositories.values.contains { entry in
            guard entry.name == model, found.starts(with: entry.layout.recordPrefix) else { return false }
            return key.map { StoredRecords(entry).keys($0).contains(found) } ?? true
        }
    }

    /// Says where the records are if the log has none to show.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/notFound`` for a repository that doesn't exist.
    private func noteNothing(_ names: StoredKeyText?) throws {
        if let model = repository.model, let names, !names.repositories.values.contains(where: { $0.name == model }) {
            throw repository.missing(in: path)
        }
        let names = (try? POSIXFileSystem().contents(ofDirectory: path)) ?? []
        let snapshots = names.filter { if case .snapshot = StoreFileName($0) { true } else { false } }
        guard let newest = snapshots.max() else { return }
        StandardError.say(
            "the log has no such records; older ones are compacted: "
                + "'heartwood log \(path)/\(newest)' prints the snapshot")
    }
}

/// Kinds of records.
enum LogKind: String, ExpressibleByArgument, CaseIterable {
    case put
    case delete
    /// Records that a reader may skip, such as the markers of batches that a repair could not bring back.
    case other

    /// The record kinds in the file format.
    var bytes: [UInt8] {
        switch self {
        case .put: [RecordKind.put.rawValue, RecordKind.putExpiring.rawValue]
        case .delete: [RecordKind.delete.rawValue]
        case .other: Array(FormatConstants.firstOptionalKind...(.max))
        }
    }
}
