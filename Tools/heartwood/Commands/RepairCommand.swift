internal import ArgumentParser
internal import Heartwood
internal import HeartwoodFormat
internal import HeartwoodInspection

struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Write what verifies of a damaged store to a new store.",
        discussion: """
            Without '--output' it reports what it would bring back and what is lost, and writes nothing. With it, a \
            new store is written there, with every batch that is whole, in order and with its number, and verified. \
            The old files are only read. Renamed files, copies, unfinished snapshots, and whole records between \
            damaged parts are all used. What is lost is reported by file, offset, number and, if it is known, key.

              heartwood repair notes
              heartwood repair notes --output notes-repaired
              heartwood repair notes --output notes-at-noon --up-to 2026-03-01T12:00:00Z
              heartwood repair notes --in-place

            '--in-place' first moves the old files into a directory in the store, damaged-TIME, and never deletes \
            them; the store must not be in use. If it is interrupted, run it again. Batches that aren't whole are left \
            out, because no reader ever saw them so; '--keep-partial' keeps what is left of them.

            "Nothing is lost" is reported only if the files prove it: all that they mention is there, and the log was \
            closed in order. After a crash they can't prove it; then the report names the file and the offset after \
            which more may have been written. Losses are listed as "lost" if they are certain, and as "perhaps" if the \
            files can't prove them.

            It ends with 0 if nothing is listed as lost, and with 1 otherwise.
            """
    )

    @Argument(
        help: ArgumentHelp("The directory with the store's files.", valueName: "store"), completion: .directory)
    var path: String

    @Option(
        help: ArgumentHelp(
            "Write the new store to this directory, which must not exist.", valueName: "directory"),
        completion: .directory)
    var output: String?

    @Flag(help: "Replace the old store by the new one. The old files are moved into a directory in it.")
    var inPlace = false

    @Flag(help: "Keep what is left of batches that are not whole.")
    var keepPartial = false

    @Option(
        help: ArgumentHelp(
            "Leave out all later writes: a write number, or \(Moment.help).", valueName: "number|time"))
    var upTo: String?

    @Option(
        help: ArgumentHelp("Which store, if the files of several are mixed: its id, 32 digits.", valueName: "id"))
    var storeID: String?

    @Flag(help: "Print the report as a JSON object.")
    var json = false

    func validate() throws {
        try PathArgument.validate(path, "the store's directory")
        try PathArgument.validate(output, "the output")
        if output != nil, inPlace { throw ValidationError("'--output' and '--in-place' exclude each other") }
        _ = try options()
    }

    private func options() throws -> RepairOptions {
        var options = RepairOptions()
        options.keepsPartial = keepPartial
        if let upTo {
            if upTo.count < 11, upTo.allSatisfy(\.isNumber), let number = UInt64(upTo) {
                options.upToSequence = number
            } else if let moment = Moment(argument: upTo) {
                options.upToTime = moment.milliseconds
            } else {
                throw ValidationError("'--up-to \(upTo)' is neither a write number nor a time: give \(Moment.help)")
            }
        }
        if let storeID {
            guard let id = StoreID(hexadecimal: storeID) else {
                throw ValidationError("'\(storeID)' is no store's id: 'heartwood inspect' shows the ids")
            }
            options.storeID = id
        }
        return options
    }

    /// The path of the new store, without a slash at the end.
    private func outputDirectory() throws(Failure) -> String? {
        guard var output else { return nil }
        while output.count > 1, output.last == "/" { output.removeLast() }
        // The new store is renamed to this path, which fails if it is a symbolic link.
        guard !FileDescriptor.isSymbolicLink(output) else {
            throw Failure(.usage, "\(output) is a symbolic link: name the directory that it leads to, or a new one")
        }
        return output
    }

    func run() async throws {
        let options = try options()
        let (path, output, inPlace) = (path, try outputDirectory(), inPlace)
        let now = SystemClock().now().milliseconds
        let report = try await InspectionTask.run(writes: inPlace || output != nil) { progress in
            if inPlace { return try Repair.runInPlace(path, options, now: now, progress: progress) }
            guard let output else { return try Repair.plan(path, options, progress: progress) }
            return try Repair.run(path, output: output, options, now: now, progress: progress)
        }
        let text = RepairText(path: path, report: report)
        try StandardOutput.printLine(json ? text.json.string : text.text(Style.ofStandardOutput))
        if !report.losses.isEmpty { throw QuietExit(code: ExitStatus.notFound.rawValue) }
    }
}

extension StoreID {
    /// The text form that reports print.
    init?(hexadecimal text: String) {
        guard text.utf8.count == 32, let first = UInt64(text.prefix(16), radix: 16),
            let last = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(low: first.byteSwapped, high: last.byteSwapped)
    }
}
