/// Where Heartwood leads and where it doesn't, both of it, told from the medians.
struct SummarySection: Sendable {
    let context: PageContext

    var markup: Markup {
        let standings = context.compared.standings
        return """
            <section id="summary" aria-labelledby="summary-title"><h2 id="summary-title">Summary</h2>
            \(standings.isEmpty ? "<p>\(nothing)</p>" : verdict(standings))
            \(claims)\(standings.isEmpty ? .empty : sides(standings))</section>

            """
    }

    private var nothing: String {
        context.isEmpty
            ? "Nothing was measured."
            : "No peer was measured beside Heartwood in this run, so nothing is compared: the figures stand for "
                + "themselves."
    }

    private func verdict(_ standings: [Standing]) -> Markup {
        let (leads, others, behind) = Self.sorted(standings)
        return """
            <p class="verdict">In <b>\(leads.count)</b> of \(standings.count) rows Heartwood, as it comes, \
            leads every peer\
            \(others.isEmpty ? "" : "; in <b>\(others.count)</b> more another way of using it does" as Markup); in \
            <b>\(behind.count)</b> it does not.</p>
            \(share(leads.count, others.count, behind.count))
            """
    }

    private func sides(_ standings: [Standing]) -> Markup {
        let (leads, others, behind) = Self.sorted(standings)
        return """
            <div class="sides">
            \(list("It leads every peer", "leads", leads, none: "Nowhere."))
            \(list("It does not, as it comes", "behind", behind + others, none: "Nowhere in this run."))
            </div>
            """
    }

    private static func sorted(_ standings: [Standing]) -> (leads: [Standing], others: [Standing], behind: [Standing]) {
        var result: ([Standing], [Standing], [Standing]) = ([], [], [])
        for standing in standings {
            switch standing.outcome {
            case .leads: result.0.append(standing)
            case .leadsAs: result.1.append(standing)
            case .behind: result.2.append(standing)
            case .unknown: break
            }
        }
        return result
    }

    private func share(_ leads: Int, _ others: Int, _ behind: Int) -> Markup {
        StackedBar(parts: [
            .init(title: "leads every peer", className: "ahead", count: leads),
            .init(title: "leads in another way", className: "level", count: others),
            .init(title: "does not lead", className: "behind", count: behind),
        ]).drawing(
            "Rows in which Heartwood leads every peer: \(leads); leads in another way: \(others); doesn’t: \(behind)")
    }

    private func list(_ title: String, _ className: String, _ standings: [Standing], none: String) -> Markup {
        let items = standings.map { standing -> Markup in
            let row = standing.comparison.row
            return """
                <li><a href="#row-\(row.id)"><code>\(row.id)</code></a> <span>\(standing.words)</span></li>
                """
        }
        return """
            <div class="\(className)"><h3>\(title)</h3>\
            \(items.isEmpty ? "<p class=\"hint\">\(none)</p>" : "<ul>\(items)</ul>" as Markup)</div>
            """
    }

    /// What Heartwood claims, and whether this run bears it out.
    private var claims: Markup {
        let standings = context.compared.claims
        guard standings.contains(where: \.isKnown) else { return "" }
        let rows = standings.map { standing -> Markup in
            let (mark, className) = Self.mark(standing.outcome)
            let row = standing.comparison.row
            // What nothing was measured of has no place to go to.
            let name: Markup =
                standing.comparison.entries.isEmpty
                ? "<code>\(row.id)</code>" : "<a href=\"#row-\(row.id)\"><code>\(row.id)</code></a>"
            return """
                <tr><th scope="row">\(name)</th>\
                <td><span class="mark \(className)">\(mark)</span></td><td>\(standing.words)</td></tr>
                """
        }
        return """
            <h3>What it claims</h3>\
            <p class="hint">Heartwood claims to lead every peer in these rows. This is what this run says to that.</p>
            <div class="scroll"><table class="claims"><thead><tr><th scope="col">row</th><th scope="col">borne out</th>\
            <th scope="col">by how much</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }

    private static func mark(_ outcome: Standing.Outcome) -> (String, String) {
        switch outcome {
        case .leads: ("yes", "ahead")
        case .leadsAs: ("in one way", "level")
        case .behind: ("NO", "behind")
        case .unknown: ("?", "unknown")
        }
    }
}
