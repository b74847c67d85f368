internal import ArgumentParser
internal import Heartwood

/// A point in time on the command line: `2026-03-01T12:00:00Z`, `2026-03-01 12:00:00`, `2026-03-01`, milliseconds since
/// 1970, or a time span before now: `90s`, `15m`, `2h`, `3d`. Always UTC.
struct Moment: ExpressibleByArgument {
    /// Milliseconds since 1970.
    let milliseconds: UInt64

    init?(argument: String) {
        if let ago = try? Lifetime(argument) {
            let now = SystemClock().now().milliseconds
            let length = ago.duration.components.seconds
            milliseconds = now - min(now, UInt64(max(length, 0)) &* 1000)
        } else if argument.count >= 11, argument.allSatisfy(\.isNumber), let number = UInt64(argument) {
            milliseconds = number
        } else if let parsed = Self.date(argument) {
            milliseconds = parsed
        } else {
            return nil
        }
    }

    static let help = "a time as 2026-03-01T12:00:00Z, 2026-03-01 (UTC), milliseconds since 1970, or 15m, 2h, 3d ago"

    private static func date(_ text: String) -> UInt64? {
        var text = Substring(text)
        if text.last == "Z" { text.removeLast() }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        guard parts.count == 1 || parts.count == 2 else { return nil }
        let date = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { number($0) }
        guard date.count == 3, let year = date[0], let month = date[1], let day = date[2], (1970...9999).contains(year),
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day)
        else { return nil }
        var seconds: UInt64 = 0
        if parts.count == 2 {
            let time = parts[1].split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
            guard time.count == 2 || time.count == 3, let hour = time[0], let minute = time[1], hour < 24, minute < 60,
                let second = time.count == 3 ? time[2] : 0, second < 60
            else { return nil }
            seconds = hour * 3600 + minute * 60 + second
        }
        return (daysSince1970(year, month, day) * 86_400 + seconds) * 1000
    }

    private static func number(_ digits: Substring) -> UInt64? {
        digits.allSatisfy { ("0"..."9").contains($0) } ? UInt64(digits) : nil
    }

    private static func isLeap(_ year: UInt64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(in month: UInt64, of year: UInt64) -> UInt64 {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Int(month) - 1]
    }

    private static func daysSince1970(_ year: UInt64, _ month: UInt64, _ day: UInt64) -> UInt64 {
        let years = (1970..<year).reduce(0) { $0 + (isLeap($1) ? 366 : 365) as UInt64 }
        return (1..<month).reduce(years) { $0 + days(in: $1, of: year) } + day - 1
    }
}
