internal import HeartwoodFormat

/// Numbers for people. Always with a dot and commas: the output doesn't depend on the locale.
enum Numbers {
    /// "34,006"
    static func grouped(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// "number 34,006"; after a jump, with the reason.
    static func sequence(_ number: UInt64) -> String {
        let text = "number \(grouped(number))"
        guard number >= FormatConstants.sequenceEpoch else { return text }
        return text + "; numbers jumped to a multiple of 2^32, as after a crash, a compaction or a repair"
    }

    /// "365 days ahead of the clock"
    static func ahead(_ time: Duration) -> String {
        let seconds = time.components.seconds
        let units: [(length: Int64, name: String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (length, name) = units.first { seconds >= 2 * $0.length } ?? (length: 1, name: "second")
        return count((seconds + length / 2) / length, name) + " ahead of the clock"
    }

    /// "5.4 MiB"
    static func bytes(_ count: some BinaryInteger) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        guard count >= 1024 else { return "\(count) \(count == 1 ? "byte" : "bytes")" }
        var size = Double(count) / 1024
        var unit = 0
        // 1023.95 and more would be shown as 1024.0 of this unit.
        while size >= 1023.95, unit + 1 < units.count {
            size /= 1024
            unit += 1
        }
        return "\(decimal(size, places: 1)) \(units[unit])"
    }

    /// "1.25"
    static func decimal(_ number: Double, places: Int) -> String {
        let factor = (0..<places).reduce(1.0) { power, _ in power * 10 }
        let scaled = (number.magnitude * factor).rounded()
        guard scaled < 9e15 else { return "\(number)" }
        let whole = UInt64(scaled) / UInt64(factor)
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return sign + String(whole) }
        let fraction = String(UInt64(scaled) % UInt64(factor))
        return sign + String(whole) + "." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    /// "0.42 s", "12.3 s", "3:05", "1:02:07"
    static func time(_ seconds: Double) -> String {
        if seconds < 10 { return decimal(seconds, places: 2) + " s" }
        if seconds < 60 { return decimal(seconds, places: 1) + " s" }
        return clock(seconds)
    }

    /// "0:07", "3:05", "1:02:07"
    static func clock(_ seconds: Double) -> String {
        let whole = UInt64(min(max(seconds.rounded(), 0), 1e9))
        func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }

    /// "2026-03-01 12:00:00 UTC", of milliseconds since 1970.
    static func moment(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1000
        // Days since the first of March of year 0, so that the leap day is the last day of a year. The calendar
        // repeats every 400 years, which have 146,097 days.
        let days = seconds / 86_400 + 719_468
        let cycle = days / 146_097
        let day = days % 146_097
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(cycle * 400 + year + (month < 10 ? 0 : 1))-\(two(month < 10 ? month + 3 : month - 9))"
        let time = "\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        return "\(date)-\(two(dayOfMonth)) \(time) UTC"
    }

    /// "1 record", "34,006 records"
    static func count(_ number: some BinaryInteger, _ singular: String, _ plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }
}

extension Duration {
    /// In seconds, as a floating-point number.
    var seconds: Double {
        let (whole, attoseconds) = components
        return Double(whole) + Double(attoseconds) / 1e18
    }
}
