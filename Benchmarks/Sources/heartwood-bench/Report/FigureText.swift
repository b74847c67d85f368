internal import Foundation

/// Figures with three significant digits and a unit.
enum FigureText {
    /// `0.012`, `1.51`, `15.2`, `237 k`, `1.51 M`.
    ///
    /// - Parameter space: Text in front of the letter.
    static func short(_ value: Double, space: String) -> String {
        guard value.isFinite else { return "?" }
        guard value >= 0 else { return "-" + short(-value, space: space) }
        if value == 0 { return "0" }
        if value < 0.0995 { return significant(value) }
        var (scaled, unit) = (value, 0)
        let units = ["", "k", "M", "G", "T", "P"]
        while scaled >= 999.5, unit < units.count - 1 {
            scaled /= 1_000
            unit += 1
        }
        return Numbers.short(scaled) + (unit > 0 ? space + units[unit] : "")
    }

    /// A row's figure with its unit.
    static func text(_ value: Double, of row: RowInfo, space: String) -> String {
        switch row.measure {
        case .rate: short(value, space: space) + "/s"
        case .seconds: seconds(value, space: space)
        case .latency: seconds(value / 1e9, space: space)
        case .figure, .damage: short(value, space: space)
        }
    }

    /// `4.2 ms`, `3.8 s`, `5.1 min`.
    static func seconds(_ value: Double, space: String) -> String {
        guard value.isFinite, value > 0 else { return value == 0 ? "0\(space)s" : "?" }
        switch value {
        case ..<0.999_5e-6: return Numbers.short(value * 1e9) + space + "ns"
        case ..<0.999_5e-3: return Numbers.short(value * 1e6) + space + "µs"
        case ..<0.999_5: return Numbers.short(value * 1e3) + space + "ms"
        case ..<599.5: return Numbers.short(value) + space + "s"
        default: return short(value / 60, space: space) + space + "min"
        }
    }

    /// `0.83×`, `15.2×`, `1,280×`.
    static func ratio(_ value: Double) -> String {
        guard value.isFinite, value < 1e9 else { return "?" }
        return value < 0.0995 ? significant(value) + "×" : Numbers.short(value) + "×"
    }

    /// A moment in seconds since 1970: `2026-11-19 14:03 UTC`.
    static func moment(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds.magnitude < 1e11 else { return "at no known time" }
        let text = Date(timeIntervalSince1970: seconds.rounded(.down)).ISO8601Format()
        guard text.count == 20 else { return text }
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
    }

    /// Two significant digits of a value below a tenth.
    private static func significant(_ value: Double) -> String {
        guard value >= 1e-6 else { return value == 0 ? "0" : "<0.000001" }
        return Numbers.decimal(value, places: min(1 - Int(log10(value).rounded(.down)), 7))
    }
}

/// Makes words from a file of results printable.
enum PlainText {
    /// Replaces each character that moves a cursor, changes the direction of text or is not allowed in XML by U+FFFD,
    /// and ends of lines by spaces.
    static func printable(_ words: String) -> String {
        var result = ""
        for scalar in words.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: result += " "
            case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// At most that many characters, with an ellipsis if some are left out.
    static func cut(_ words: String, to length: Int) -> String {
        words.count > length ? words.prefix(length - 1) + "…" : words
    }
}

/// The titles of groups of rows.
enum GroupText {
    static let titles = [
        "durable": "Durable writes",
        "writing": "Writes that don't wait for the disk",
        "reading": "Reads",
        "ycsb": "YCSB",
        "values": "Sizes of values",
        "json": "Compressible JSON",
        "recovery": "Recovery",
        "compaction": "Under compaction",
        "growth": "Growth",
        "memory": "Memory",
        "amplification": "Write and space amplification",
        "damage": "One changed byte",
        "typed": "Typed records",
        "heartwood": "Heartwood alone",
    ]
}
