/// Numbers as text.
enum Numbers {
    /// `1,234,567`.
    static func grouped(_ number: Int) -> String {
        var result = ""
        for (position, digit) in String(number.magnitude).reversed().enumerated() {
            if position > 0, position % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return (number < 0 ? "-" : "") + String(result.reversed())
    }

    /// With a number of digits after the point.
    static func decimal(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((value * Double(scale)).rounded())
        guard digits > 0 else { return grouped(scaled) }
        let fraction = String(scaled.magnitude % UInt(scale))
        let whole = grouped(Int(scaled.magnitude) / scale)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return (scaled < 0 ? "-" : "") + "\(whole).\(zeros)\(fraction)"
    }

    /// A ratio with three digits: `0.83`, `15.2`, `128`.
    static func ratio(_ value: Double) -> String {
        decimal(value, digits: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }

    /// A size in binary units: `23.4 GiB`.
    static func bytes(_ count: UInt64) -> String {
        var value = Double(count)
        var unit = 0
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return decimal(value, digits: unit == 0 ? 0 : 1) + " " + units[unit]
    }
}
