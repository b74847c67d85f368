/// A row: bars in which Heartwood is 1, the absolute figures beside them, and all runs behind a fold.
struct RowCard: Sendable {
    let context: PageContext
    let comparison: Comparison
    let scale: RatioScale

    private var row: RowInfo { comparison.row }

    var markup: Markup {
        """
        <article class="row\(row.measure == .latency ? " whole" : "")" id="row-\(row.id)">\
        <h4><code>\(row.id)</code> \(row.title)</h4>
        <p class="hint">\(RowWords(row).line)</p>
        <div class="pair"><table class="ratios"><thead><tr><th scope="col">engine</th><td class="barcell"></td>\
        <th scope="col" class="n">median</th><th scope="col" class="n">ratio</th>\
        <th scope="col" class="n spread">lowest–highest</th></tr></thead><tbody>
        \(comparison.entries.map(line))</tbody>
        <tfoot><tr><td></td><td class="barcell">\(scale.axis)</td>\
        <td colspan="3" class="direction">\(direction)</td></tr>\
        </tfoot></table>
        \(row.measure == .latency ? LatencyCurves(context: context, comparison: comparison).markup : .empty)</div>
        \(FailureList(context: context, row: row).markup)
        \(RowDetails(context: context, comparison: comparison).markup)</article>

        """
    }

    private var direction: Markup {
        row.isMoreBetter ? "<b>→</b> more is better" : "<b>←</b> less is better"
    }

    private func line(_ entry: Comparison.Entry) -> Markup {
        let ratio = comparison.ratio(entry)
        let figures = entry.figures
        let median = FigureText.text(figures.median, of: row)
        let range = spread(figures)
        let words = "\(entry.engine.title): \(median), \(range)"
        let bar =
            comparison.base.flatMap { base in
                base.figures.median > 0
                    ? scale.bar(figures, base: base.figures.median, look: context.look(entry.engine), words: words)
                    : nil
            } ?? Markup.empty
        return """
            <tr class="e \(context.look(entry.engine).className)" data-of="\(entry.engine.id)">\
            <th scope="row">\(context.name(entry.engine))</th>\
            <td class="barcell">\(bar)</td><td class="n">\(median)</td>\
            <td class="n ratio">\(ratio.map(FigureText.ratio) ?? "–")</td><td class="n spread">\(range)</td></tr>

            """
    }

    private func spread(_ figures: RunFigures) -> String {
        guard figures.count > 1 else { return "1 run" }
        let (low, high) = (FigureText.text(figures.lowest, of: row), FigureText.text(figures.highest, of: row))
        return "\(low.replacingSuffix("/s"))–\(high.replacingSuffix("/s"))"
    }
}

/// What a row is, in a line.
struct RowWords: Sendable {
    let row: RowInfo

    init(_ row: RowInfo) { self.row = row }

    var line: String {
        var parts = [row.workload]
        parts.append(row.workers == 1 ? "1 worker" : "\(Numbers.grouped(row.workers)) workers")
        if row.keys > 0 { parts.append("\(FigureText.count(row.keys)) keys") }
        if row.valueBytes > 0 { parts.append("values of \(FigureText.bytes(row.valueBytes))") }
        parts.append(row.measureTitle)
        return parts.joined(separator: " · ")
    }
}

/// Why engines have no figure in a row, or fewer than they should have.
struct FailureList: Sendable {
    let context: PageContext
    let row: RowInfo

    var markup: Markup {
        let failed = context.results.cells.filter { $0.row == row.id && $0.failure != nil }
        guard !failed.isEmpty else { return "" }
        let items = failed.map { cell -> Markup in
            "<li><b>\(context.compared.title(of: cell.engine))</b>: \(cell.failure ?? "")</li>"
        }
        return "<ul class=\"failures\">\(items)</ul>"
    }
}

extension String {
    /// Without what it ends with, if it ends with that.
    fileprivate func replacingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
