import Foundation

/// Text for the terminal; without colours if the output is a file.
enum Terminal {
    private static let hasColours =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty

    static func bold(_ text: String) -> String { hasColours ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    static func dim(_ text: String) -> String { hasColours ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
    static func green(_ text: String) -> String { hasColours ? "\u{1B}[32m\(text)\u{1B}[0m" : text }
    static func red(_ text: String) -> String { hasColours ? "\u{1B}[31m\(text)\u{1B}[0m" : text }

    /// 34006 as 34,006.
    static func grouped(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        return (number < 0 ? "-" : "") + ([digits[...]] + groups).joined(separator: ",")
    }

    /// A duration with two or three digits: 1.2 ms.
    static func time(_ duration: Duration) -> String {
        let microseconds = Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
        for (limit, divisor, unit) in [(1e3, 1.0, "µs"), (1e6, 1e3, "ms")] where microseconds < limit {
            return number(microseconds / divisor) + " " + unit
        }
        return number(microseconds / 1e6) + " s"
    }

    private static func number(_ value: Double) -> String { String(format: value < 10 ? "%.1f" : "%.0f", value) }
}
