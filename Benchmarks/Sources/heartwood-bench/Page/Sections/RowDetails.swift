/// All runs of a row with their latencies, folded away; and the curve of latencies.
struct RowDetails: Sendable {
    let context: PageContext
    let comparison: Comparison

    var markup: Markup {
        // A row whose figure is latency shows the curve beside its bars.
        let isShown = comparison.row.measure == .latency
        let curve = isShown ? .empty : LatencyCurves(context: context, comparison: comparison).markup
        // Of an opening the records and bytes a second are asked for as well.
        let isOpen: Markup = comparison.row.measure == .seconds ? " open=\"open\"" : ""
        let heads = columns.map { column -> Markup in
            "<th scope=\"col\"\(column == "engine" || column == "also" ? "" : " class=\"n\"" as Markup)>\(column)</th>"
        }
        return """
            <details\(isOpen)><summary>All runs\(curve.text.isEmpty ? "" : ", and the curve of latencies")</summary>
            \(curve)<div class="scroll"><table class="runs"><thead><tr>\
            \(heads)</tr></thead><tbody>
            \(comparison.entries.map { entry in entry.runs.indices.map { line(entry, $0) }.joined() })\
            </tbody></table></div>
            </details>
            """
    }

    private var hasLatency: Bool { comparison.entries.contains { $0.runs.contains { $0.latency != nil } } }
    private var hasFigures: Bool { comparison.entries.contains { $0.runs.contains { !$0.figures.isEmpty } } }
    private var isRate: Bool { comparison.row.measure != .figure }

    private var columns: [String] {
        ["engine", "run", "operations", "seconds"] + (isRate ? ["a second", "MB/s"] : [])
            + (hasLatency ? ["mean", "50 %", "90 %", "99 %", "99.9 %", "99.99 %", "highest"] : [])
            + (hasFigures ? ["also"] : [])
    }

    private func line(_ entry: Comparison.Entry, _ index: Int) -> Markup {
        let run = entry.runs[index]
        var cells = [Numbers.grouped(index + 1), Numbers.grouped(run.operations), FigureText.short(run.seconds)]
        if isRate {
            let pace = run.seconds > 0 ? Double(run.bytes) / run.seconds / 1e6 : 0
            cells += [FigureText.short(run.rate), pace > 0 ? FigureText.short(pace) : ""]
        }
        if hasLatency { cells += latencies(run.latency) }
        let also = run.figures.sorted { $0.key < $1.key }.map {
            "\(Figure.title($0.key)) \(FigureText.short($0.value))"
        }
        return """
            <tr><th scope="row">\(context.name(entry.engine))</th>\
            \(cells.map { "<td class=\"n\">\($0)</td>" as Markup })\
            \(hasFigures ? "<td class=\"also\">\(also.joined(separator: ", "))</td>" : .empty)</tr>

            """
    }

    private func latencies(_ latency: LatencyResult?) -> [String] {
        guard let latency else { return Array(repeating: "", count: 7) }
        return [FigureText.seconds(latency.mean / 1e9)]
            + [latency.p50, latency.p90, latency.p99, latency.p999, latency.p9999, latency.maximum]
            .map { FigureText.seconds(Double($0) / 1e9) }
    }
}

/// How long operations took, by percentile: each engine's middle run.
struct LatencyCurves: Sendable {
    let context: PageContext
    let comparison: Comparison

    var markup: Markup {
        let curves = comparison.entries.compactMap { entry in middle(entry).map { (entry.engine, $0) } }
        guard !curves.isEmpty else { return "" }
        let most = curves.flatMap { $0.1.curve.map(\.percentile) }.filter { $0 < 100 }.max() ?? 99
        let count = Double(curves.map(\.1.count).max() ?? 100)
        let nines = min(Self.nines(most), Self.nines(100 - 100 / max(count, 100)) + 0.5)
        let times = curves.flatMap { $0.1.curve.map { Double($0.nanoseconds) } }
        let isCorrected = curves.contains { $0.1.isCorrected }
        let chart = LineChart(
            title: isCorrected
                ? "Latencies, counted from the moment at which an operation was due"
                : "Latencies; each worker waits for its own operation before it begins the next",
            x: Axis("percentile, each nine as wide as the one before", .nines(nines)) {
                "\(FigureText.percentile($0)) %"
            },
            y: Axis("latency, logarithmic; less is better", .logarithmic(times)) { FigureText.roundSeconds($0 / 1e9) },
            lines: curves.map { engine, latency in
                LineChart.Line(
                    name: engine.title, look: context.look(engine),
                    points: latency.curve.filter { $0.nanoseconds > 0 }.sorted { $0.percentile < $1.percentile }
                        .map { LineChart.Point(x: $0.percentile, y: Double($0.nanoseconds)) },
                    isMarkedEverywhere: false, words: words(engine, latency))
            })
        return chart.figure
    }

    private func words(_ engine: EngineInfo, _ latency: LatencyResult) -> String {
        let parts = [("50", latency.p50), ("99", latency.p99), ("99.9", latency.p999)]
            .map { "\($0.0) % within \(FigureText.seconds(Double($0.1) / 1e9))" }
        let latest = FigureText.seconds(Double(latency.maximum) / 1e9)
        return "\(engine.title): \(parts.joined(separator: ", ")), the latest after \(latest)"
    }

    /// The latencies of the run in the middle, by the row's figure.
    private func middle(_ entry: Comparison.Entry) -> LatencyResult? {
        let runs = entry.runs.filter { $0.latency.map { $0.curve.count > 1 } ?? false }
            .sorted { (comparison.row.value($0) ?? 0) < (comparison.row.value($1) ?? 0) }
        return runs.isEmpty ? nil : runs[runs.count / 2].latency
    }

    private static func nines(_ percentile: Double) -> Double {
        var (rest, count) = (1 - percentile / 100, 0.0)
        while rest <= 0.1, count < 7 {
            rest *= 10
            count += 1
        }
        return count + (rest < 1 ? (1 - rest) : 0)
    }
}
