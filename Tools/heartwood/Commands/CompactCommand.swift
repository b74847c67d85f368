internal import ArgumentParser
internal import Heartwood

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Free the space of overwritten, deleted and expired records.",
        discussion: """
            Writes all live records into a snapshot, in key order, reads it back, and only then deletes the log that \
            the snapshot replaces. The disk must have space for both; otherwise the compaction doesn't start. \
            'heartwood stats' estimates what a compaction would free.

            A crash or a kill loses nothing. SIGINT and SIGTERM stop the compaction, and end with 130 or 143; a second \
            signal kills.

              heartwood compact notes
              heartwood compact notes --json
              heartwood compact notes --keep-log
            """
    )

    @OptionGroup var store: StoreArgument

    @Flag(help: "Keep the log that the snapshot replaces, for programs that read logs. Then no space is freed.")
    var keepLog = false

    @Flag(help: "Print the summary as a JSON object; sizes in bytes, times in seconds.")
    var json = false

    func run() async throws {
        // Opening may take long, and can be stopped at any time.
        Signals.endAtRequests()
        let summary: CompactSummary
        do {
            summary = try await store.withStore { configuration in
                configuration.logRetention = keepLog ? .everything : .none
            } body: { store in
                Signals.noteRequestsToStop()
                return try await compact(store)
            }
        } catch let error as StoreError where error.code == .cancelled {
            // Only a signal cancels it.
            StandardError.say("stopped: \(store.path) has lost nothing; compact it again at any time")
            throw QuietExit.stopped
        }
        try StandardOutput.printLine(json ? summary.json.string : Escaping.line(summary.text))
    }

    private func compact(_ store: Store) async throws -> CompactSummary {
        let before = store.statistics
        let tally = Tally<CompactionProgress>()
        let bar = ProgressBar { tally.progress }
        defer { bar.end() }
        let work = Task { try await store.compact { tally.note($0) } }
        let report = try await Signals.whenRequestedToStop({ work.cancel() }) { try await work.value }
        let after = store.statistics
        return CompactSummary(
            store: self.store.path, keys: report.snapshot?.keys ?? after.keys,
            before: before.fileBytes, after: after.fileBytes,
            seconds: tally.seconds, report: report)
    }
}
