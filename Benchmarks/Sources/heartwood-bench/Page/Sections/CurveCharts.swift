/// The charts with lines that belong to a part of a group: by writers, by sizes of values, by sizes of stores, over
/// time.
struct CurveCharts: Sendable {
    let context: PageContext
    let comparisons: [Comparison]

    var markup: Markup {
        let lines = [byWriters, byValues, byKeys].joined()
        let charts: Markup = lines.text.isEmpty ? .empty : "<div class=\"charts\">\(lines)</div>"
        return "\(charts)\(timelines)"
    }

    private var byWriters: Markup {
        series(group: "durable", by: \.workers).map { workload, rows -> Markup in
            let rates = chart(
                "\(workload): operations a second by the number of writers", rows, by: \.workers,
                x: ("writers, logarithmic", { FigureText.count(Int($0)) }),
                y: "operations a second, logarithmic; more is better",
                tick: { FigureText.round($0) + "/s" },
                figures: { $0.figures })
            let latencies = chart(
                "\(workload): how long a write takes, 99 % of them, by the number of writers", rows, by: \.workers,
                x: ("writers, logarithmic", { FigureText.count(Int($0)) }),
                y: "99th percentile, logarithmic; less is better", tick: { FigureText.roundSeconds($0) },
                figures: { RunFigures($0.runs.compactMap { $0.latency.map { Double($0.p99) / 1e9 } }) })
            return "\(rates)\(latencies)"
        }.joined()
    }

    private var byValues: Markup {
        series(group: "values", by: \.valueBytes).map { workload, rows -> Markup in
            let rates = chart(
                "\(workload): operations a second by the size of values", rows, by: \.valueBytes,
                x: ("size of a value, logarithmic", { FigureText.bytes(Int($0)) }),
                y: "operations a second, logarithmic; more is better", tick: { FigureText.round($0) + "/s" },
                figures: { $0.figures })
            let bytes = chart(
                "\(workload): bytes a second by the size of values", rows, by: \.valueBytes,
                x: ("size of a value, logarithmic", { FigureText.bytes(Int($0)) }),
                y: "keys and values, logarithmic; more is better", tick: { FigureText.round($0) + "B/s" },
                figures: { RunFigures($0.runs.filter { $0.seconds > 0 }.map { Double($0.bytes) / $0.seconds }) })
            return "\(rates)\(bytes)"
        }.joined()
    }

    private var byKeys: Markup {
        series(group: "growth", by: \.keys).map { workload, rows in
            chart(
                "\(workload): what a record costs by the size of the store", rows, by: \.keys,
                x: ("records, logarithmic", { FigureText.count(Int($0)) }),
                y: "time for one record, logarithmic; less is better", tick: { FigureText.roundSeconds($0) },
                figures: { RunFigures($0.runs.filter { $0.rate > 0 }.map { 1 / $0.rate }) })
        }.joined()
    }

    /// Rows of a group that differ in one number alone, with at least two values of that.
    private func series(group: String, by number: KeyPath<RowInfo, Int>) -> [(String, [Comparison])] {
        var order: [String] = []
        var rows: [String: [Comparison]] = [:]
        for comparison in comparisons
        where comparison.row.group == group && comparison.row.measure == .rate && !comparison.entries.isEmpty {
            if rows[comparison.row.workload] == nil { order.append(comparison.row.workload) }
            rows[comparison.row.workload, default: []].append(comparison)
        }
        return order.compactMap { workload in
            let found = (rows[workload] ?? []).sorted { $0.row[keyPath: number] < $1.row[keyPath: number] }
            return Set(found.map { $0.row[keyPath: number] }).count > 1 ? (workload, found) : nil
        }
    }

    private func chart(
        _ title: String, _ rows: [Comparison], by number: KeyPath<RowInfo, Int>, x: (String, (Double) -> String),
        y: String,
        tick: (Double) -> String, figures: (Comparison.Entry) -> RunFigures?
    ) -> Markup {
        var lines: [LineChart.Line] = []
        for engine in context.compared.engines {
            let points = rows.compactMap { comparison -> LineChart.Point? in
                let entry = comparison.entries.first { $0.engine.id == engine.id }
                guard let found = entry.flatMap(figures) else { return nil }
                let at = Double(comparison.row[keyPath: number])
                return LineChart.Point(
                    x: at, y: found.median, lowest: found.lowest, highest: found.highest,
                    words: "\(engine.title), \(x.1(at)): \(tick(found.median))")
            }.filter { $0.y > 0 && $0.x > 0 }
            if !points.isEmpty {
                lines.append(LineChart.Line(name: engine.title, look: context.look(engine), points: points))
            }
        }
        guard !lines.isEmpty else { return "" }
        let numbers = rows.map { Double($0.row[keyPath: number]) }
        let all = lines.flatMap { $0.points.flatMap { [$0.y, $0.lowest ?? $0.y, $0.highest ?? $0.y] } }
        return LineChart(
            title: title,
            x: Axis(x.0, .logarithmic(numbers, margin: 1.25), at: Array(Set(numbers)), text: x.1),
            y: Axis(y, .logarithmic(all, margin: 1.3), text: tick),
            lines: lines
        ).figure
    }

    /// One small chart for each engine, all of a row on the same scales.
    private var timelines: Markup {
        comparisons.map { comparison -> Markup in
            let found = comparison.entries.compactMap { entry -> (EngineInfo, [CellResult.Moment], String)? in
                let runs = entry.runs.enumerated().filter { $0.element.timeline.map { $0.count > 1 } ?? false }
                    .sorted { (comparison.row.value($0.element) ?? 0) < (comparison.row.value($1.element) ?? 0) }
                guard !runs.isEmpty else { return nil }
                let run = runs[runs.count / 2]
                let words = entry.runs.count > 1 ? ", run \(run.offset + 1) of \(entry.runs.count)" : ""
                return (entry.engine, run.element.timeline ?? [], words)
            }
            guard !found.isEmpty else { return "" }
            let axes = Timeline.Axes(found.map(\.1))
            let figures = found.map { engine, moments, words in
                Timeline(name: engine.title + words, look: context.look(engine), moments: moments, axes: axes).figure
            }
            return """
                <h4><code>\(comparison.row.id)</code> second by second</h4><p class="hint">Operations that ended in \
                each second; below, the 99th percentile of their latencies as a line, and the latest of each second as \
                dots. Each engine’s middle run, all on the same scales.</p><div class="timelines">\(figures)</div>

                """
        }.joined()
    }
}
