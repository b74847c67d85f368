internal import ArgumentParser
internal import Heartwood

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Give back the space of what was overwritten, was deleted, or has expired.",
        discussion: """
            Writes all that is live into a snapshot, in the order of keys, reads it back, and only then drops the log \
            that it replaces. Meanwhile the disk must have room for both; where it hasn't, nothing is begun. \
            'heartwood stats' says beforehand what there is to gain.

            A crash or a kill at any moment leaves the store with all that it held. SIGINT and SIGTERM give the \
            compaction up, and end with 130 or 143; a second one kills.

              heartwood compact notes
              heartwood compact notes --json
              heartwood compact notes --keep-log
            """
    )

    @OptionGroup var store: StoreArgument

    @Flag(help: "Keep the log that the snapshot replaces, for programs that read logs. No space is given back then.")
    var keepLog = false

    @Flag(help: "Print the summary as a JSON object; sizes in bytes, times in seconds.")
    var json = false

    func run() async throws {
        // An opening may take long, and can be stopped at any time.
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
            StandardError.say("stopped: \(store.path) holds all that it held; compact it whenever you like")
            throw QuietExit(code: 128 + (Signals.requestToStop ?? 0))
        }
        try StandardOutput.printLine(json ? summary.json.string : Escaping.line(summary.text))
    }

    private func compact(_ store: Store) async throws -> CompactSummary {
        let before = store.statistics
        let tally = CompactTally()
        let progress = ProgressBar { tally.progress }
        let work = Task { try await store.compact { tally.note($0) } }
        let watching = Task {
            while Signals.requestToStop == nil { try await Task.sleep(for: .milliseconds(20)) }
            work.cancel()
        }
        let drawing = Task { await progress.run() }
        let outcome = await work.result
        watching.cancel()
        drawing.cancel()
        progress.end()
        let report = try outcome.get()
        let after = store.statistics
        return CompactSummary(
            store: self.store.path, keys: report.snapshot?.keys ?? after.keys,
            before: before.logBytes + before.snapshotBytes, after: after.logBytes + after.snapshotBytes,
            seconds: tally.seconds, report: report)
    }
}
