internal import ArgumentParser
internal import Foundation
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
        let pattern = /(\d+)-(\d+)-(\d+)(?:[T ](\d+):(\d+)(?::(\d+))?)?Z?/.asciiOnlyDigits()
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        func number(_ digits: Substring?) -> Int32? { digits.map { Int32($0) } ?? 0 }
        guard let year = Int32(match.1), (1970...9999).contains(year), let month = Int32(match.2),
            let day = Int32(match.3), let hour = number(match.4), let minute = number(match.5),
            let second = number(match.6), second < 60
        else { return nil }
        var (time, found) = (tm(), tm())
        (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
        (time.tm_hour, time.tm_min, time.tm_sec) = (hour, minute, second)
        var seconds = timegm(&time)
        // The system takes a 31st of February for a day of March.
        guard gmtime_r(&seconds, &found) != nil, found.tm_mon == month - 1, found.tm_mday == day,
            found.tm_hour == hour, found.tm_min == minute
        else { return nil }
        return UInt64(seconds) * 1000
    }
}

extension Numbers {
    /// "2026-03-01 12:00:00 UTC", of milliseconds since 1970.
    static func moment(_ milliseconds: UInt64) -> String {
        var (seconds, time) = (time_t(milliseconds / 1000), tm())
        gmtime_r(&seconds, &time)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(Int(time.tm_year) + 1900)-\(two(time.tm_mon + 1))-\(two(time.tm_mday)) "
            + "\(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec)) UTC"
    }
}
