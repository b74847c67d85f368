internal import ArgumentParser
internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodInspection
internal import HeartwoodRepository

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every byte of stores, or of some of their files.",
        discussion: """
            Checks every checksum, the chain from segment to segment, that a snapshot's keys and records agree, and \
            that a snapshot agrees with the log that it replaced, if that still exists. Damage is reported with file, \
            offset and the writes that are lost.

            If the files are sound, and the store has repositories, it also checks that each index has the entries of \
            all records, and no others. That reads the store as 'scan' does, and needs memory for its keys. \
            '--files-only' leaves it out.

            It takes no lock, writes nothing, and can run while a program has the store open.

              heartwood verify notes
              heartwood verify /var/lib/app/store /backup/store --quiet
              heartwood verify notes/0000000000000001.log
              heartwood verify notes --json | jq .verdict

            It ends with 0 if all is clean; with 1 if only the tail is torn, as after a crash; with 2 if something is \
            damaged or missing; with 74 if the system could not read; with 73 if there is no store; with 76 if a newer \
            version wrote it. Of several stores the worst decides.
            """
    )

    @Argument(
        help: ArgumentHelp("Directories of stores, or some of their files.", valueName: "store|file"),
        completion: .file())
    var paths: [String]

    @Flag(help: "Check only the files, not the indexes of repositories.")
    var filesOnly = false

    @Flag(help: "Print nothing if all is clean.")
    var quiet = false

    @Flag(help: "Print a JSON object for each.")
    var json = false

    func validate() throws {
        for path in paths { try PathArgument.validate(path, "the store's directory") }
    }

    func run() async throws {
        var worst = Verdict.clean
        for path in paths {
            let start = ContinuousClock.now
            let result = try await InspectionTask.run { progress in
                try Verification.run(path, progress: progress)
            }
            let seconds = (ContinuousClock.now - start).seconds
            do {
                let repositories = try await repositories(path, result)
                worst = max(worst, result.verdict, repositories?.verdict ?? .clean)
                try report(path, result, repositories, seconds)
            } catch let error as StoreError {
                try report(path, result, nil, seconds)
                throw error
            }
        }
        if worst != .clean { throw QuietExit(code: worst.exitStatus.rawValue) }
    }

    /// Verifies the repositories of a store; nil if it has none, or an opening would be refused.
    private func repositories(_ path: String, _ result: Verification) async throws -> RepositoryVerification? {
        // Of a single file nothing can be opened.
        guard !filesOnly, result.repositoryRecords > 0, result.opens, result.verdict <= .torn,
            (try? POSIXFileSystem().kind(of: path)) == .directory
        else { return nil }
        return try await ReadOnlyStore.open(at: path).verifyRepositories()
    }

    private func report(
        _ path: String, _ result: Verification, _ repositories: RepositoryVerification?, _ seconds: Double
    ) throws {
        let isClean = result.verdict == .clean && result.findings.isEmpty && repositories?.isClean != false
        let names = StoredKeyText(naming: result.findings.lazy.flatMap { $0.keys + $0.perhapsKeys }, filesAt: path)
        if json {
            var object = Self.json(path, result, names, seconds)
            if let repositories { object.add("repositories", RepositoryReport(repositories).json) }
            try StandardOutput.printLine(object.string)
        } else if !isClean || !quiet {
            try StandardOutput.printLine(Self.text(path, result, names, seconds))
            if let repositories {
                try StandardOutput.printLine(RepositoryReport(repositories).text(path, Self.mostFindings))
            }
        }
    }

    /// `--json` has all of them.
    private static let mostFindings = 100

    private static func text(_ path: String, _ result: Verification, _ names: StoredKeyText, _ seconds: Double)
        -> String
    {
        let style = Style.ofStandardOutput
        var lines = result.findings.prefix(mostFindings).map { $0.line(style, names) }
        if result.findings.count > mostFindings {
            lines.append("… and \(Numbers.count(result.findings.count - mostFindings, "more", "more")): see '--json'")
        }
        // Less than a second is too short to measure a rate.
        let rate = seconds < 1 ? "" : " (\(Numbers.bytes(Int(Double(result.bytes) / seconds)))/s)"
        var summary = "\(Escaping.text(Array(path.utf8))): \(style(result.verdict.rawValue, result.verdict.paint)): "
        summary += "\(Numbers.count(result.records, "record")) in \(Numbers.count(result.files, "file")), "
        summary += "\(Numbers.bytes(result.bytes)) verified in \(Numbers.time(seconds))\(rate)"
        if result.comparedSnapshots > 0 { summary += "; the snapshot equals the log that it replaced" }
        lines.append(summary)
        switch result.verdict {
        case .clean: break
        case .torn:
            lines.append("nothing that was acknowledged as synced is missing: the next opening skips the tail")
        case .corrupt:
            lines.append(
                (result.opens ? "the store opens all the same; " : "opening it will be refused; ")
                    + "keep a copy, then see what "
                    + "'heartwood repair \(Escaping.text(Array(path.utf8)))' would bring back"
            )
        case .unsupported: lines.append("use the version of heartwood that wrote it")
        case .unreadable:
            lines.append("this says nothing about the data: check permissions, the disk and the kernel's log")
        }
        return lines.joined(separator: "\n")
    }

    private static func json(_ path: String, _ result: Verification, _ names: StoredKeyText, _ seconds: Double)
        -> JSONText
    {
        [
            "path": path, "verdict": result.verdict.rawValue, "opens": result.opens, "closed": result.isClosed,
            "files": result.files, "bytes": result.bytes, "commits": result.commits, "records": result.records,
            "lastSequence": result.lastSequence, "comparedSnapshots": result.comparedSnapshots, "seconds": seconds,
            "findings": result.findings.map { $0.json(names) },
        ]
    }
}
