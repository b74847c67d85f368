extension BenchReport {
    /// The conditions, and a table.
    func lines(_ style: Style) -> [String] {
        let options = plan.options
        var table = TextTable([.left, .right, .left, .right, .right, .right, .right, .right])
        // Wide enough for the numbers, so that the columns are at the same position in each run.
        table.add([
            "", TextTable.Cell("     a second", .bold), "", TextTable.Cell("     p50", .bold),
            TextTable.Cell("     p99", .bold), TextTable.Cell("   p99.9", .bold), TextTable.Cell("     max", .bold),
            TextTable.Cell("     raw", .bold),
        ])
        for measurement in measurements { table.add(row(measurement)) }
        let head =
            "\(Escaping.line(path)) (\(disk?.name ?? "unknown file system")): keys of \(BenchKey.byteCount) bytes, "
            + "values of \(Numbers.grouped(options.valueBytes)), \(Numbers.count(options.records, "record")), "
            + "\(Self.short(options.seconds)) s a figure"
        return [head] + table.lines(style)
    }

    /// What the figures mean.
    var remark: String {
        "measured in \(Numbers.time(seconds)); everything was read back and compared"
    }

    private func row(_ measurement: Measurement) -> [TextTable.Cell] {
        let rate = measurement.perSecond
        var row: [TextTable.Cell] = [
            TextTable.Cell(measurement.figure.title),
            TextTable.Cell(rate < 100 ? Numbers.decimal(rate, places: 1) : Numbers.grouped(Int(rate))),
            TextTable.Cell(measurement.figure.unit),
        ]
        if let latencies = measurement.latencies {
            row += [500, 990, 999].map { TextTable.Cell(Self.latency(latencies.value(perMille: $0))) }
            row.append(TextTable.Cell(Self.latency(latencies.maximum)))
        }
        if let times = timesRaw(measurement) { row.append(TextTable.Cell("× " + Numbers.decimal(times, places: 1))) }
        return row
    }

    /// "98.2 µs", "1.24 ms", "2.05 s": three digits.
    static func latency(_ nanoseconds: UInt64) -> String {
        var (value, unit) = (Double(nanoseconds) / 1e3, "µs")
        if value >= 999.5 { (value, unit) = (value / 1e3, "ms") }
        if value >= 999.5, unit == "ms" { (value, unit) = (value / 1e3, "s") }
        return "\(Numbers.decimal(value, places: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)) \(unit)"
    }

    /// "2", "0.05"
    private static func short(_ seconds: Double) -> String {
        var text = Numbers.decimal(seconds, places: 2)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
