internal import Foundation

/// Figures as people read them: three digits that count, and a unit.
enum FigureText {
    /// `0.012`, `1.51`, `15.2`, `237 k`, `1.51 M`.
    ///
    /// - Parameter space: What stands before the letter; by default a narrow space that doesn't break.
    static func short(_ value: Double, space: String = "\u{202F}") -> String {
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
        guard scaled < 1e12 else { return "\(value)" }
        return digits(scaled) + (unit > 0 ? space + units[unit] : "")
    }

    /// For the marks of axes: `0.5`, `10 k`, `1 M`, without zeros at the end.
    static func round(_ value: Double) -> String { trimmed(short(value)) }

    /// For the marks of axes: `10 µs`, `1 s`.
    static func roundSeconds(_ value: Double) -> String { trimmed(seconds(value)) }

    private static func trimmed(_ text: String) -> String {
        guard let point = text.firstIndex(of: ".") else { return text }
        let end = text[point...].firstIndex { $0 != "." && !$0.isNumber } ?? text.endIndex
        let digits = text[..<end].reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(digits.reversed()) + text[end...]
    }

    /// A row's figure with its unit.
    static func text(_ value: Double, of row: RowInfo, space: String = "\u{202F}") -> String {
        switch row.measure {
        case .rate: short(value, space: space) + "/s"
        case .seconds: seconds(value, space: space)
        case .latency: seconds(value / 1e9, space: space)
        case .figure: short(value, space: space)
        case .damage: short(value, space: space)
        }
    }

    /// `4.2 ms`, `3.8 s`, `5.1 min`.
    static func seconds(_ value: Double, space: String = "\u{202F}") -> String {
        guard value.isFinite, value > 0 else { return value == 0 ? "0\(space)s" : "?" }
        switch value {
        case ..<0.999_5e-6: return digits(value * 1e9) + space + "ns"
        case ..<0.999_5e-3: return digits(value * 1e6) + space + "µs"
        case ..<0.999_5: return digits(value * 1e3) + space + "ms"
        case ..<599.5: return digits(value) + space + "s"
        default: return short(value / 60, space: space) + space + "min"
        }
    }

    /// `0.83×`, `15.2×`, `1,280×`.
    static func ratio(_ value: Double) -> String {
        guard value.isFinite, value < 1e9 else { return "?" }
        return value < 0.0995 ? significant(value) + "×" : Numbers.ratio(value) + "×"
    }

    /// Bytes a second, in millions.
    static func megabytes(_ bytesPerSecond: Double) -> String { digits(bytesPerSecond / 1e6) + "\u{202F}MB/s" }

    /// `16 B`, `1 KiB`, `1 MiB`.
    static func bytes(_ count: Int) -> String {
        switch count {
        case 1 << 20..<1 << 40 where count % (1 << 20) == 0: "\(count >> 20) MiB"
        case 1 << 10..<1 << 20 where count % (1 << 10) == 0: "\(count >> 10) KiB"
        default: "\(Numbers.grouped(count)) B"
        }
    }

    /// `1 k`, `1 M`, `4,096`: a count that somebody chose.
    static func count(_ count: Int) -> String {
        if count >= 1_000_000, count % 100_000 == 0 { return round(Double(count)) }
        if count >= 10_000, count % 1_000 == 0 { return "\(count / 1_000)\u{202F}k" }
        return Numbers.grouped(count)
    }

    /// `50`, `99.9`, `99.999`: with as many nines as there are.
    static func percentile(_ value: Double) -> String {
        guard value.isFinite, value < 100 else { return "100" }
        let digits = value <= 90 ? 0 : min(max(Int((-log10(1 - value / 100) - 0.01).rounded(.up)) - 2, 0), 6)
        return Numbers.decimal(max(value, 0), digits: digits)
    }

    /// A moment in seconds since 1970: `2026-11-19 14:03 UTC`.
    static func moment(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds.magnitude < 1e11 else { return "at no known time" }
        let text = Date(timeIntervalSince1970: seconds.rounded(.down)).ISO8601Format()
        guard text.count == 20 else { return text }
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
    }

    /// `3 h 12 min`, `4 min 10 s`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "?" }
        let whole = Int(seconds.rounded())
        if whole >= 3_600 { return "\(whole / 3_600) h \(whole / 60 % 60) min" }
        return whole >= 60 ? "\(whole / 60) min \(whole % 60) s" : "\(whole) s"
    }

    private static func digits(_ value: Double) -> String {
        guard value.magnitude < 1e12 else { return "\(value)" }
        return Numbers.decimal(value, digits: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }

    /// Two digits that count, of what is less than a tenth.
    private static func significant(_ value: Double) -> String {
        guard value >= 1e-6 else { return value == 0 ? "0" : "<0.000001" }
        return Numbers.decimal(value, digits: min(1 - Int(log10(value).rounded(.down)), 7))
    }
}
