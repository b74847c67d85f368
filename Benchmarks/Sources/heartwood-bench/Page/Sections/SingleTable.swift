/// Rows that one engine alone has figures in: there is nothing to draw them beside.
struct SingleTable: Sendable {
    let context: PageContext
    let comparisons: [Comparison]

    var markup: Markup {
        """
        <div class="scroll"><table class="single"><thead><tr><th scope="col">row</th><th scope="col">engine</th>\
        <th scope="col" class="n">median</th>\
        <th scope="col" class="n">lowest</th><th scope="col" class="n">highest</th>\
        <th scope="col" class="n">runs</th></tr></thead><tbody>\(comparisons.map(line))</tbody></table></div>
        \(comparisons.map(more))
        """
    }

    private func line(_ comparison: Comparison) -> Markup {
        guard let entry = comparison.entries.first else { return "" }
        let (row, figures) = (comparison.row, entry.figures)
        return """
            <tr id="row-\(row.id)">\
            <th scope="row"><code>\(row.id)</code> \(row.title)<small>\(RowWords(row).line)</small></th>\
            <td class="e \(context.look(entry.engine).className)">\(context.name(entry.engine))</td>\
            <td class="n">\(FigureText.text(figures.median, of: row))</td>\
            <td class="n">\(FigureText.text(figures.lowest, of: row))</td>\
            <td class="n">\(FigureText.text(figures.highest, of: row))</td><td class="n">\(figures.count)</td></tr>

            """
    }

    private func more(_ comparison: Comparison) -> Markup {
        """
        \(FailureList(context: context, row: comparison.row).markup)\
        \(comparison.row.measure == .latency ? LatencyCurves(context: context, comparison: comparison).markup : .empty)
        """
    }
}
