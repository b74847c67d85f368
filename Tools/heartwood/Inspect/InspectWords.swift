internal import HeartwoodFormat
internal import HeartwoodInspection

/// The wording of a survey, the same in text, JSON and the page.
enum InspectWords {
    /// Text from the store in one line, escaped.
    static func text(_ bytes: [UInt8], columns: Int = .max) -> String {
        let text = Escaping.text(bytes)
        return text.count > columns ? text.prefix(columns - 1) + "…" : text
    }

    /// `2026-03-01 12:00:00 to 12:00:05`
    static func times(_ range: ClosedRange<UInt64>) -> String {
        let (first, last) = (moment(range.lowerBound), moment(range.upperBound))
        if first == last { return first }
        let day = first.prefix { $0 != " " }
        return "\(first) to \(last.hasPrefix(day) ? String(last.dropFirst(day.count + 1)) : last)"
    }

    /// In UTC, without the suffix.
    static func moment(_ milliseconds: UInt64) -> String { String(Numbers.moment(milliseconds).dropLast(4)) }

    /// `48.1 %`. A part that exists is never shown as zero.
    static func share(_ part: UInt64, of whole: UInt64) -> String {
        guard part > 0, whole > 0 else { return "-" }
        let percent = Double(part) / Double(whole) * 100
        return percent < 0.05 ? "<0.1 %" : Numbers.decimal(percent, places: 1) + " %"
    }

    static func bar(_ part: UInt64, of whole: UInt64, columns: Int) -> String {
        guard part > 0, whole > 0 else { return "" }
        return String(repeating: "#", count: max(1, Int((Double(part) / Double(whole) * Double(columns)).rounded())))
    }

    static func role(_ role: StoreFiles.Role) -> String {
        switch role {
        case .snapshot: "snapshot"
        case .log: "log"
        case .covered: "old log"
        case .older: "old snapshot"
        case .damaged: "bad snapshot"
        case .temporary: "temporary"
        case .foreign: "foreign"
        case .other: "renamed"
        }
    }

    static func severity(_ severity: Finding.Severity) -> String {
        switch severity {
        case .note: "note"
        case .torn: "torn"
        case .corruption: "corrupt"
        case .unsupported: "newer"
        case .unreadable: "unreadable"
        }
    }

    /// What was found, without the location: `the log is damaged … (the checksum does not match); write number 7 is
    /// lost`.
    static func what(_ finding: Finding) -> String {
        var text = finding.what
        if let cause = finding.cause { text += " (\(cause))" }
        if let lost = finding.lost {
            let numbers = "\(Numbers.grouped(lost.lowerBound))"
            text +=
                lost.lowerBound == lost.upperBound
                ? "; write number \(numbers) is lost"
                : "; writes number \(numbers) to \(Numbers.grouped(lost.upperBound)) are lost"
        }
        return text
    }

    /// The range of a histogram bucket: from 2^(n-1) to 2^n - 1.
    static func sizes(ofBucket bucket: Int) -> String {
        if bucket <= 1 { return String(bucket) }
        func short(_ number: UInt64) -> String {
            if number >= 1 << 30 { return "\(number >> 30) Gi" }
            if number >= 1 << 20 { return "\(number >> 20) Mi" }
            return number >= 1 << 10 ? "\(number >> 10) Ki" : "\(number)"
        }
        let first: UInt64 = 1 << UInt64(bucket - 1)
        if first < 1 << 10 { return "\(first) to \(2 * first - 1)" }
        return "\(short(first)) and more"
    }
}

extension StoreSurvey {
    /// Whether the survey is of a single file.
    var isFile: Bool { files.count == 1 && files[0].path == path }
}
