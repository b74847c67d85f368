/// The figures, for people and for programs.
struct BenchReport {
    /// No real disk syncs more often a second.
    static let implausibleSyncs = 50_000.0

    let path: String
    let plan: BenchPlan
    let disk: MountedFileSystem?
    let measurements: [Measurement]
    /// How long all of it took, including what isn't timed.
    let seconds: Double

    var isComplete: Bool { measurements.count == plan.figures.count }

    /// Why the durable figures don't measure a disk, if they don't.
    var warnings: [String] {
        if let disk, disk.isInMemory {
            return [
                "\(path) is on \(disk.kind), which is memory: a restart of the machine loses what is in it; name a "
                    + "directory on a disk"
            ]
        }
        guard let raw = rawRate, raw > Self.implausibleSyncs else { return [] }
        return [
            "\(Numbers.grouped(Int(raw))) syncs a second are more than a disk does: the disk, its driver or the host "
                + "only pretends to sync, or it is memory; what is synced there may not survive a power loss"
        ]
    }

    /// Durable writes of one thread, by system calls only; nil if that wasn't measured.
    var rawRate: Double? { measurements.first { $0.figure == .raw }?.perSecond }

    /// The rate divided by that of the raw syncs; nil for figures that aren't durable.
    func timesRaw(_ measurement: Measurement) -> Double? {
        guard measurement.figure.isDurable, let raw = rawRate else { return nil }
        return measurement.perSecond / raw
    }

    // MARK: - For people

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
            "\(Escaping.line(path)) (\(disk?.kind ?? "unknown file system")): keys of \(Dataset.keyBytes) bytes, "
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
        return "\(Numbers.short(value)) \(unit)"
    }

    /// "2", "0.05"
    private static func short(_ seconds: Double) -> String {
        var text = Numbers.decimal(seconds, places: 2)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    // MARK: - For programs

    var json: JSONText {
        [
            "directory": path, "fileSystem": disk?.kind, "secondsPerFigure": plan.options.seconds,
            "records": plan.options.records, "keyBytes": Dataset.keyBytes, "valueBytes": plan.options.valueBytes,
            "complete": isComplete, "seconds": seconds, "warnings": warnings,
            "figures": measurements.map { object(for: $0) },
        ]
    }

    private func object(for measurement: Measurement) -> JSONText {
        var json: JSONText = [
            "name": measurement.figure.name, "unit": measurement.figure.unit, "perSecond": measurement.perSecond,
            "count": measurement.operations, "seconds": measurement.seconds,
        ]
        json.add(known: [
            "timesRaw": timesRaw(measurement), "latencyNanoseconds": measurement.latencies.map(Self.object),
        ])
        return json
    }

    private static func object(for latencies: LatencyHistogram) -> JSONText {
        [
            "p50": latencies.value(perMille: 500), "p99": latencies.value(perMille: 990),
            "p999": latencies.value(perMille: 999), "max": latencies.maximum,
        ]
    }
}
