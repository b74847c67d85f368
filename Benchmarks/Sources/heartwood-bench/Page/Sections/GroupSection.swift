/// A group of rows: its charts, and a card for each row.
struct GroupSection: Sendable {
    let context: PageContext
    let group: ComparedResults.Group

    var markup: Markup {
        let text = GroupText(group.id)
        let measured = group.comparisons.filter { !$0.entries.isEmpty }
        let parts: Markup =
            measured.isEmpty ? "<p class=\"hint\">Nothing of it was measured.</p>" : group.byPromise.map(part).joined()
        return """
            <section id="group-\(group.id)" class="group" aria-labelledby="title-\(group.id)">
            <h2 id="title-\(group.id)">\(text.title)</h2>
            \(text.explanation.isEmpty ? "" : "<p>\(text.explanation)</p>" as Markup)
            \(parts)</section>

            """
    }

    private func part(_ promise: Promise?, _ comparisons: [Comparison]) -> Markup {
        guard comparisons.contains(where: { !$0.entries.isEmpty }) else { return "" }
        let compared = comparisons.filter { $0.entries.count > 1 && $0.row.measure != .damage }
        let damaged = comparisons.filter { $0.row.measure == .damage && !$0.entries.isEmpty }
        let single = comparisons.filter { $0.entries.count == 1 && $0.row.measure != .damage }
        let scale = RatioScale(compared)
        let curves = CurveCharts(context: context, comparisons: comparisons).markup
        let rows = compared.map { RowCard(context: context, comparison: $0, scale: scale).markup }
        let cards: Markup = "<div class=\"cards\">\(rows)</div>"
        return """
            \(promise == nil ? .empty : "<h3>Writes: \(Badge.of(promise))</h3>")
            \(curves)\(damaged.map { DamageChart(context: context, comparison: $0).markup })
            \(compared.isEmpty ? .empty : "<p class=\"hint\">\(Self.words(scale))</p>\(cards)")
            \(single.isEmpty ? .empty : SingleTable(context: context, comparisons: single).markup)
            """
    }

    private static func words(_ scale: RatioScale) -> String {
        scale.isLogarithmic
            ? "The scale of the bars is logarithmic, as they span more than twenty times, and the same for all of them "
                + "below. Bars begin at Heartwood’s figure: to the right is more, to the left is less."
            : "The scale of the bars begins at 0, and is the same for all of them below."
    }
}
