internal import ArgumentParser
internal import Heartwood

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print figures of a store.",
        discussion: """
            Keys, sizes, what 'heartwood compact' would free, and what the opening found: whether the store was closed \
            in order, or left by a crash, and where its log is torn. A torn log loses nothing that was acknowledged as \
            synced.

            A snapshot is what a compaction writes: all records that were live then, in key order. The log is what was \
            written since. Dead bytes are overwritten and deleted records, and what the format needs.

            While another process has the store open, it prints what the files tell. '--watch' always reads the files \
            so, and prints a line each interval.

              heartwood stats notes
              heartwood stats notes --json
              heartwood stats notes --watch --interval 5s
            """
    )

    @OptionGroup var store: StoreArgument

    @Flag(help: "Print a line each interval until stopped.")
    var watch = false

    @Option(
        help: ArgumentHelp("For '--watch': a number and s, m, h or d. The default is 1s.", valueName: "time"),
        transform: Lifetime.init)
    var interval: Lifetime?

    @Option(help: ArgumentHelp("For '--watch': stop after this many lines.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print JSON, an object a line; sizes in bytes, times in seconds.")
    var json = false

    func validate() throws {
        if !watch && (interval != nil || limit != nil) {
            throw ValidationError("'--interval' and '--limit' are for '--watch': give both")
        }
        if let limit, limit < 1 { throw ValidationError("'--limit \(limit)' shows nothing: give 1 or more") }
    }

    func run() async throws {
        if watch { return try await printLines() }
        do {
            let report = try await store.withStore { [path = store.path] store in
                StatsReport(
                    path: path, storeID: store.id, figures: store.statistics, opening: store.recoveryReport,
                    keyBytes: try Self.keyBytes(of: store.readView()))
            }
            try StandardOutput.printLine(json ? report.json.string : report.table)
        } catch let error as StoreError where error.code == .locked || error.code == .permission {
            // Reading needs no lock, and no permission to write.
            let report = try await store.withReadOnlyStore { store in try ReadStatsReport(store) }
            try StandardOutput.printLine(json ? report.json.string : report.table)
        }
    }

    /// Prints a line each interval.
    private func printLines() async throws {
        Signals.endAtRequests()
        try await store.withReadOnlyStore { store in
            let interval = interval?.duration ?? .seconds(1)
            var (before, last) = (ChangePosition?.none, ContinuousClock.now)
            for number in 1...(limit ?? .max) {
                if number > 1 {
                    try await Task.sleep(for: interval)
                    try await store.refresh()
                }
                let now = ContinuousClock.now
                let line = StatsLine(store, since: before, elapsed: now - last)
                try StandardOutput.printLine(json ? line.json.string : line.text)
                (before, last) = (line.position, now)
            }
        }
    }

    private static func keyBytes(of view: ReadView) throws -> UInt64 {
        var bytes: UInt64 = 0
        try view.scan().forEachKey { key in
            bytes += UInt64(key.byteCount)
            return .next
        }
        return bytes
    }
}
