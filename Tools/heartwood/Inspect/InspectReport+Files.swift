internal import Heartwood
internal import HeartwoodFormat
internal import HeartwoodInspection

/// The files, and what follows each of them.
extension InspectReport {
    var files: [String] {
        guard !survey.files.isEmpty else { return others }
        var table = TextTable([.left, .left, .right, .right, .right, .right, .right, .right, .right])
        table.add(
            ["role", "name", "size", "commits", "records", "live", "dead", "torn", "corrupt"].map { .init($0, .dim) })
        for file in survey.files {
            let (bytes, size) = (file.bytes, file.size)
            let role = InspectWords.role(file.role)
            let isLog = file.kind == .log && file.commits > 0
            table.add([
                .init(role), .init(InspectWords.text(Array(file.name.utf8), columns: 40)), .init(Numbers.bytes(size)),
                .init(isLog ? Numbers.grouped(file.commits) : "-"),
                .init(file.records.all > 0 ? Numbers.grouped(file.records.all) : "-"),
                .init(InspectWords.share(bytes.live, of: size)), .init(InspectWords.share(bytes.dead, of: size)),
                .init(InspectWords.share(bytes.torn, of: size), bytes.torn > 0 ? .yellow : nil),
                .init(InspectWords.share(bytes.corrupt, of: size), bytes.corrupt > 0 ? .red : nil),
            ])
        }
        return section("Files", table.lines(style) + others)
    }

    private var others: [String] {
        guard !survey.others.isEmpty else { return [] }
        let names = survey.others.prefix(8).map { InspectWords.text(Array($0.utf8), columns: 40) }.joined(
            separator: ", ")
        let more = survey.others.count > 8 ? " and \(survey.others.count - 8) more" : ""
        return ["  not Heartwood's, and left alone: \(names)\(more)"]
    }

    var chain: [String] {
        var table = TextTable([.left, .left, .left, .left])
        table.add(["name", "numbers", "written (UTC)", "continues"].map { .init($0, .dim) })
        for (index, file) in survey.files.enumerated() where file.header != nil {
            table.add([
                .init(InspectWords.text(Array(file.name.utf8), columns: 40)), .init(Self.numbers(file)),
                .init(file.times.map(InspectWords.times) ?? "-"), .init(continuation(file, at: index)),
            ])
        }
        let lines = table.lines(style)
        return lines.count > 1 ? section("Chain", lines) : []
    }

    static func numbers(_ file: FileSurvey) -> String {
        guard let numbers = file.sequences else { return "none" }
        let (first, last) = (Numbers.grouped(numbers.lowerBound), Numbers.grouped(numbers.upperBound))
        if file.kind == .snapshot { return "up to \(last)" }
        return numbers.lowerBound == numbers.upperBound ? last : "\(first) to \(last)"
    }

    /// What follows a file.
    func continuation(_ file: FileSurvey, at index: Int) -> String {
        switch file.role {
        case .covered, .older: return "replaced by the snapshot"
        case .damaged where !file.counts: return "damaged, and skipped"
        case .temporary: return "in preparation, or left over"
        case .foreign: return "of another store"
        case .other: return "not read under this name"
        case .snapshot, .damaged:
            guard let next = successor(of: file) else { return survey.isFile ? "-" : "nothing follows" }
            return "in \(next)"
        case .log:
            if let end = file.recordedEnd {
                return "at \(Numbers.grouped(end)) in \(successor(of: file) ?? "the next")"
            }
            let end = Numbers.grouped(file.end)
            guard survey.files[(index + 1)...].allSatisfy({ $0.role != .log }) else { return "nothing follows it" }
            switch survey.end {
            case .closed?: return "closed at \(end)"
            case .torn?: return "torn at \(Numbers.grouped(file.torn?.lowerBound ?? file.end))"
            case .unclosed?, nil: return "open at \(end)"
            }
        }
    }

    /// The file that names this one as its predecessor.
    private func successor(of file: FileSurvey) -> String? {
        guard let header = file.header else { return nil }
        let next = survey.files.first { other in
            guard other.role == .log, let predecessor = other.header?.predecessor else { return false }
            return header.kind == .snapshot ? predecessor == header.predecessor : predecessor.salt == header.salt
        }
        return next.map { InspectWords.text(Array($0.name.utf8)) }
    }
}
