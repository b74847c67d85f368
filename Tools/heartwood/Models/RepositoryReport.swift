internal import HeartwoodInspection
internal import HeartwoodRepository

/// What `verify` prints of repositories.
struct RepositoryReport {
    private let verification: RepositoryVerification

    init(_ verification: RepositoryVerification) { self.verification = verification }

    /// A line for each finding, and a summary.
    func text(_ path: String, _ most: Int) -> String {
        let style = Style.ofStandardOutput
        var lines = verification.findings.prefix(most).map { finding in
            style("corrupt", .red) + " " + Escaping.line(finding.description)
        }
        if verification.findingCount > most {
            lines.append("… and \(Numbers.count(verification.findingCount - most, "more", "more")): see '--json'")
        }
        let repositories = verification.repositories
        let entries = repositories.reduce(0) { $0 + $1.indexes.reduce(0) { $0 + $1.entries } }
        let verdict = verification.verdict
        lines.append(
            "\(Escaping.text(Array(path.utf8))): repositories \(style(verdict.rawValue, verdict.paint)): "
                + "\(Numbers.count(repositories.reduce(0) { $0 + $1.records }, "record")) and "
                + "\(Numbers.count(entries, "index entry", "index entries")) in "
                + Numbers.count(repositories.count, "repository", "repositories")
                + (verification.isClean ? " agree" : ": \(Numbers.count(verification.findingCount, "finding"))"))
        return lines.joined(separator: "\n")
    }

    var json: JSONText {
        [
            "verdict": verification.verdict.rawValue,
            "repositories": verification.repositories.map(ModelsReport.json),
            "findingCount": verification.findingCount, "findings": verification.findings.map(finding),
        ]
    }

    private func finding(_ finding: RepositoryFinding) -> JSONText {
        var json = JSONText()
        json.add("kind", finding.kind.rawValue)
        if let repository = finding.repository { json.add("repository", repository) }
        if let index = finding.index { json.add("index", index) }
        if let id = finding.id { json.add(json: "id", JSONLine.of(id)) }
        if !finding.values.isEmpty { json.add(json: "values", JSONLine.of(.tuple(finding.values))) }
        json.add("keyHex", ByteNotation.hexadecimal.string(finding.key))
        json.add("what", finding.what)
        json.add("remedy", finding.remedy)
        return json
    }
}

extension RepositoryVerification {
    /// What the exit code follows.
    var verdict: Verdict { isClean ? .clean : .corrupt }
}
