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

    /// "9.99", "98.2", "1,280": three digits, or more before the point.
    static func short(_ number: Double) -> String {
        guard number >= 99.95, number < 9e15 else { return decimal(number, places: number < 9.995 ? 2 : 1) }
        return grouped(Int(number.rounded()))
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
