/// Every row beside every peer in one table: how many times as good Heartwood is.
struct GlanceSection: Sendable {
    let context: PageContext

    var markup: Markup {
        let comparable = context.compared.comparable
        let measured = Set(comparable.flatMap { $0.peers.map(\.engine.id) })
        let peers = context.compared.engines.filter { measured.contains($0.id) }
        guard !peers.isEmpty else { return "" }
        return """
            <section id="glance" aria-labelledby="glance-title"><h2 id="glance-title">Every row at a glance</h2>
            <p class="hint">How many times as good as the peer Heartwood is, whether more is better or less: \
            <span class="mark ahead">▲ 2.00×</span> ahead, <span class="mark behind">▼ 2.00×</span> the peer is ahead, \
            <span class="mark level">≈</span> too close to tell: some runs overlap. Where one is 0, both \
            figures stand there. A dash: not measured. Indented: other ways of using Heartwood.</p>
            <div class="glances">\(context.compared.groups.map { table($0, peers) })</div></section>

            """
    }

    private func table(_ group: ComparedResults.Group, _ peers: [EngineInfo]) -> Markup {
        let comparable = group.comparisons.filter { $0.heartwood != nil && !$0.peers.isEmpty }
        guard !comparable.isEmpty else { return "" }
        let head = peers.map { peer -> Markup in
            let title = PlainText.cut(peer.title, to: 24)
            return "<th scope=\"col\" class=\"c\">\(context.look(peer).key)<span>\(title)</span></th>"
        }
        return """
            <div class="scroll"><table class="glance"><thead><tr><th scope="col">\
            <a href="#group-\(group.id)">\(GroupText(group.id).title)</a></th>\(head)</tr></thead>
            <tbody>\(comparable.map { rows($0, peers) })</tbody></table></div>

            """
    }

    private func rows(_ comparison: Comparison, _ peers: [EngineInfo]) -> Markup {
        let first = comparison.heartwood?.engine.id
        let ways = comparison.ways.filter { $0.engine.id == first } + comparison.ways.filter { $0.engine.id != first }
        return ways.map { way -> Markup in
            let name: Markup =
                way.engine.id == first
                ? "<a href=\"#row-\(comparison.row.id)\"><code>\(comparison.row.id)</code></a>"
                : "<span class=\"way\">\(way.engine.title)</span>"
            let title = "\(comparison.row.title)\(comparison.row.promise.map { ", \($0.title)" } ?? "")"
            return """
                <tr><th scope="row" title="\(title)">\(name)</th>\
                \(peers.map { peer in cell(comparison, way, comparison.peers.first { $0.engine.id == peer.id }) })</tr>

                """
        }.joined()
    }

    private func cell(_ comparison: Comparison, _ way: Comparison.Entry, _ peer: Comparison.Entry?) -> Markup {
        guard let peer else { return "<td class=\"c none\">–</td>" }
        let lead = comparison.lead(way, over: peer)
        let words = "\(way.engine.title) \(text(way, comparison)), \(peer.engine.title) \(text(peer, comparison))"
        let isAhead = comparison.isBetter(way, than: peer)
        let isClose = way.figures.overlaps(peer.figures)
        let ratio =
            lead.map { FigureText.ratio($0 >= 1 ? $0 : 1 / $0) }
            ?? "\(FigureText.round(way.figures.median)) : \(FigureText.round(peer.figures.median))"
        let isLevel = way.figures.median == peer.figures.median
        let sign = (isClose ? "≈" : "") + (isLevel ? "" : isAhead ? "▲" : "▼")
        let className = isClose ? "level" : isAhead ? "ahead" : "behind"
        return "<td class=\"c\" title=\"\(words)\"><span class=\"mark \(className)\">\(sign) \(ratio)</span></td>"
    }

    private func text(_ entry: Comparison.Entry, _ comparison: Comparison) -> String {
        FigureText.text(entry.figures.median, of: comparison.row)
    }
}
