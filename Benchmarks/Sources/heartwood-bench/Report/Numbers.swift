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

    /// A rate as a whole number, with thousands grouped.
    static func rate(_ value: Double) -> String { grouped(Int(value.rounded())) }

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

    /// A latency with its unit: `850 ns`, `97 µs`, `1.2 ms`, `3.4 s`.
    static func latency(_ nanoseconds: UInt64) -> String {
        let value = Double(nanoseconds)
        switch nanoseconds {
        case ..<1_000: return "\(nanoseconds) ns"
        case ..<9_950: return decimal(value / 1e3, digits: 1) + " µs"
        case ..<999_500: return decimal(value / 1e3, digits: 0) + " µs"
        case ..<9_950_000: return decimal(value / 1e6, digits: 1) + " ms"
        case ..<999_500_000: return decimal(value / 1e6, digits: 0) + " ms"
        default: return decimal(value / 1e9, digits: 1) + " s"
        }
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
