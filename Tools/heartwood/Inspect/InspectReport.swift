internal import HeartwoodFormat
internal import HeartwoodInspection

/// A survey as text. The order is that in which an engineer under pressure needs it.
struct InspectReport {
    let survey: StoreSurvey
    let names: StoredKeyText
    let style: Style

    /// JSON has all of them.
    private static let mostFindings = 40

    var text: String {
        var sections = [head, findings, files, chain]
        if survey.totals.records.all > 0 { sections += [bytes, records, sizes, largest] }
        sections += [expiry, repositories, prefixes, next]
        return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// A heading and its lines; nothing if there are no lines.
    func section(_ title: String, _ lines: [String]) -> [String] { lines.isEmpty ? [] : [style(title, .bold)] + lines }

    /// "about " if totals are estimated.
    var about: String { survey.totals.isEstimated ? "about " : "" }

    // MARK: - Head

    private var head: [String] {
        var table = TextTable([.left, .left], indent: 0)
        table.add([survey.isFile ? "file" : "store", .init(InspectWords.text(Array(survey.path.utf8)))])
        if let id = survey.storeID { table.add(["id", "\(id.description)"]) }
        table.add(["state", state])
        if !survey.isFile { table.add(["opening", opening]) }
        if let holder = survey.holder {
            table.add(["lock", "names process \(holder) as the last that opened it; it may have ended"])
        }
        let totals = survey.totals
        table.add([
            "keys",
            .init(
                "\(about)\(Numbers.grouped(totals.keys)), of \(Numbers.count(totals.records.all, "record"))"
                    + (totals.commits > 0 ? " and \(Numbers.count(totals.commits, "commit")) of log" : "")),
        ])
        if totals.lastSequence > 0 { table.add(["last write", .init(Numbers.sequence(totals.lastSequence))]) }
        table.add([
            "size", "\(Numbers.bytes(totals.bytes.all)) in \(Numbers.count(survey.files.count, "file"))",
        ])
        if let gain { table.add(["to gain", "\(gain)"]) }
        if survey.timeAhead >= 1_000 {
            table.add(["time", .init(Numbers.ahead(.milliseconds(Int64(clamping: survey.timeAhead))), .yellow)])
        }
        if totals.isEstimated {
            table.add([
                "estimated",
                .init(
                    "what is live, from "
                        + "\(InspectWords.share(UInt64(totals.sampledShare * 1e6), of: 1_000_000)) of the keys"),
            ])
        }
        return table.lines(style)
    }

    var stateInWords: String { state.text }
    var openingInWords: String { opening.text }

    private var state: TextTable.Cell {
        let ending =
            switch survey.end {
            case .closed?: ", closed in order"
            case .unclosed?: ", not closed: in use, or left by a kill or a crash"
            case .torn?:
                survey.verdict == .torn ? " by a crash; nothing that was synced is missing" : ", and its end torn"
            case nil: survey.files.isEmpty ? ", and empty: nothing was ever written" : ""
            }
        return .init(survey.verdict.rawValue + ending, survey.verdict.paint)
    }

    private var opening: TextTable.Cell {
        guard let obstacle = survey.findings.first(where: \.refusesOpening) else { return "would succeed" }
        return .init("would be refused: " + InspectWords.text(Array(obstacle.what.utf8)), .red)
    }

    /// What a compaction would free; nil if the question doesn't apply.
    var gain: String? {
        let totals = survey.totals
        guard !survey.isFile, totals.records.all > 0 else { return nil }
        guard survey.opens else { return "nothing while it can't be opened" }
        if totals.compactionGain < totals.replaceableBytes / 50 { return "hardly anything" }
        return "about \(Numbers.bytes(totals.compactionGain)) of \(Numbers.bytes(totals.replaceableBytes)), "
            + "by 'heartwood compact'"
    }

    // MARK: - Findings

    private var findings: [String] {
        var lines = survey.findings.prefix(Self.mostFindings).map(line)
        if survey.findings.count > Self.mostFindings {
            lines.append(
                "  and \(Numbers.grouped(survey.findings.count - Self.mostFindings)) more; '--json' has them all")
        }
        return section("Findings", lines)
    }

    private func line(_ finding: Finding) -> String {
        // The first lines name the directory of the store.
        let name = survey.files.first { $0.path == finding.file }?.name ?? finding.file
        let file = InspectWords.text(Array(name.utf8))
        var text =
            "  \(style(InspectWords.severity(finding.severity), finding.paint))  "
            + "\(file) at \(Numbers.grouped(finding.offset)): "
        text += InspectWords.text(Array(InspectWords.what(finding).utf8))
        return text + names.clause(Array(finding.keys.prefix(3)), perhaps: Array(finding.perhapsKeys.prefix(3)))
    }

    private var next: [String] {
        section("What to do", InspectAdvice.lines(survey).flatMap { Self.wrap($0, columns: 96) })
    }

    /// Lines of at most `columns` columns, indented.
    private static func wrap(_ text: String, columns: Int) -> [String] {
        var lines: [String] = []
        var line = "  "
        for word in text.split(separator: " ") {
            if line.count > 4, line.count + 1 + word.count > columns {
                lines.append(line)
                line = "   "
            }
            line += (line.allSatisfy { $0 == " " } && lines.isEmpty ? "- " : " ") + word
        }
        return lines + [line]
    }
}
