internal import ArgumentParser
internal import Heartwood

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print figures of a store.",
        discussion: """
            What the store holds, what it takes, and what opening it found: whether it had been closed in order, or \
            was left by a crash, and where its log was torn then, which loses nothing that was acknowledged as synced.

              heartwood stats notes
              heartwood stats notes --json
            """
    )

    @OptionGroup var store: StoreArgument

    @Flag(help: "Print a JSON object; sizes in bytes, times in seconds.")
    var json = false

    func run() async throws {
        let (figures, opening) = try await store.withStore { ($0.statistics, $0.recoveryReport) }
        let report = StatsReport(path: store.path, figures: figures, opening: opening)
        try StandardOutput.printLine(json ? report.json.string : report.table)
    }
}

/// The figures of a store, as a table and as JSON.
private struct StatsReport {
    let path: String
    let figures: Store.Statistics
    let opening: RecoveryReport

    var table: String {
        let share = figures.logBytes > 0 ? Double(figures.liveBytes) / Double(figures.logBytes) * 100 : 100
        let rows: [(name: String, value: String)] = [
            ("store", path),
            ("keys", Numbers.grouped(figures.keys)),
            ("last write", "number \(Numbers.grouped(opening.lastSequence))"),
            (
                "log",
                "\(Numbers.bytes(figures.logBytes)) in \(Numbers.count(figures.segments, "segment")), "
                    + "\(Numbers.decimal(min(share, 100), places: 0)) % of it live"
            ),
            ("index", "\(Numbers.bytes(figures.indexBytes)) of memory"),
            ("found", tail),
            (
                "opened",
                "in \(Numbers.time(opening.duration.seconds)): \(Numbers.count(opening.records, "record")), "
                    + "\(Numbers.bytes(opening.bytes))"
            ),
        ]
        let width = rows.map(\.name.count).max() ?? 0
        return
            rows
            .map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.value }
            .joined(separator: "\n")
    }

    var json: JSONText {
        var found = JSONText()
        switch opening.tail {
        case .new: found.add("tail", "new")
        case .closed: found.add("tail", "closed")
        case .unclosed: found.add("tail", "unclosed")
        case .torn(let file, let offset, let bytes):
            found.add("tail", "torn")
            found.add("tornFile", file)
            found.add("tornOffset", offset)
            found.add("tornBytes", bytes)
        }
        found.add("segments", opening.segments)
        found.add("commits", opening.commits)
        found.add("batches", opening.batches)
        found.add("records", opening.records)
        found.add("bytes", opening.bytes)
        found.add("seconds", opening.duration.seconds)

        var json = JSONText()
        json.add("store", path)
        json.add("keys", figures.keys)
        json.add("lastSequence", opening.lastSequence)
        json.add("logBytes", figures.logBytes)
        json.add("liveBytes", figures.liveBytes)
        json.add("segments", figures.segments)
        json.add("indexBytes", figures.indexBytes)
        json.add("opening", found)
        return json
    }

    /// In what state the last process left the store.
    private var tail: String {
        switch opening.tail {
        case .new: "new: nothing was ever written"
        case .closed: "closed in order"
        case .unclosed: "not closed (a crash, or a kill); every commit is whole"
        case .torn(let file, let offset, let bytes):
            "torn by a crash: \(Numbers.count(bytes, "byte")) behind offset \(Numbers.grouped(offset)) of "
                + "\(file) were never acknowledged as synced, and are passed over"
        }
    }
}
