internal import ArgumentParser
internal import Heartwood

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the changes of a store as they come.",
        discussion: """
            One line a change: 'put', a tab, the key, a tab, the value; or 'remove', a tab, the key. Keys and values \
            are shown as by 'scan'. 'lost', a tab, a number, a tab, a number are writes that a repair could not \
            bring back. It reads the store's files, also while another process has the store open, until it is stopped.

            Without a start it prints what is written from now on. '--snapshot' first prints every entry that exists, \
            as a put. At its end it prints the position to continue from on standard error: give it to '--after'. With \
            '--json' each object has it. A position whose log a compaction has removed ends it with 1.

              heartwood watch notes
              heartwood watch notes --prefix session: --json | jq -c '{key, value}'
              heartwood watch notes --snapshot --limit 100
              heartwood watch app --model cities
              heartwood watch notes --after 00112233445566778899aabbccddeeff-42
            """
    )

    @OptionGroup var store: StoreArgument
    @OptionGroup var selection: SelectionOptions

    @Option(help: ArgumentHelp("Everything after this position, as 'watch' has printed it.", valueName: "position"))
    var after: String?

    @Flag(help: "Everything from the first write on, if its log still exists.")
    var fromStart = false

    @Flag(help: "First what exists now, as puts, then everything after it.")
    var snapshot = false

    @Option(
        help: ArgumentHelp(
            "Which changes: durable (no power loss can take them back) or visible (all that are in the files).",
            valueName: "level"))
    var level = Level.durable

    @Option(help: ArgumentHelp("Stop after this many lines.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Print one JSON object a line, with the position to continue from.")
    var json = false

    enum Level: String, CaseIterable, ExpressibleByArgument {
        case durable, visible

        var changes: ChangeLevel { self == .durable ? .durable : .visible }
    }

    func validate() throws {
        _ = try start()
        if let limit, limit < 1 { throw ValidationError("'--limit \(limit)' shows nothing: give 1 or more") }
        if [after != nil, fromStart, snapshot].count(where: \.self) > 1 {
            throw ValidationError("'--after', '--from-start' and '--snapshot' are three starts: give one of them")
        }
    }

    private func start() throws -> ChangePrinter.Start {
        if let after {
            guard let position = ChangePosition(after) else {
                throw ValidationError("'\(after)' is not a position: give one that 'watch' has printed")
            }
            return .after(position)
        }
        return fromStart ? .firstWrite : snapshot ? .present : .now
    }

    func run() async throws {
        // Opening may take long, and can be stopped at any time.
        Signals.endAtRequests()
        // What is printed as existing must be as durable as the changes. Otherwise the newest write is wanted, to judge
        // the position of '--after'.
        try await store.withReadOnlyStore(
            level: snapshot ? level.changes : .visible, mostValueBytes: Store.Configuration().maximumValueBytes
        ) { store in
            let printer = try await printer(for: store.readView())
            Signals.noteRequestsToStop()
            do {
                try await follow(store, printer)
            } catch var error as StoreError where error.code == .positionUnavailable {
                error.message += "; '--snapshot' does that"
                if let restart = error.restart { error.message += ", and '--after \(restart)' is possible" }
                throw error
            }
        }
    }

    private func printer(for view: ReadView) async throws -> ChangePrinter {
        let range = try await selection.records(in: view, of: store).range
        let form = EntryText(selection.keys.notation, StoredKeyText(view))
        return ChangePrinter(try start(), in: range, level.changes, limit: limit ?? .max, form, isJSON: json)
    }

    private func follow(_ store: ReadOnlyStore, _ printer: ChangePrinter) async throws {
        let work = Task { try await printer.run(on: store) }
        do {
            try await Signals.whenRequestedToStop {
                work.cancel()
                // The reader of the output may have stopped.
                try await Task.sleep(for: .seconds(1))
                stop(printer)
            } during: {
                try await work.value
            }
        } catch  where Signals.requestToStop != nil {
            stop(printer)
        }
        sayPosition(printer)
    }

    /// Ends the process, because a signal requested it.
    private func stop(_ printer: ChangePrinter) -> Never {
        sayPosition(printer)
        HeartwoodTool.leave(with: QuietExit.stopped)
    }

    private func sayPosition(_ printer: ChangePrinter) {
        if let position = printer.position { StandardError.say("continue with '--after \(position)'") }
    }
}
