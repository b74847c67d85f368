/// What became of changes of one byte: parts of a bar for each engine, and the numbers below.
struct DamageChart: Sendable {
    let context: PageContext
    let comparison: Comparison

    var markup: Markup {
        let lines = comparison.entries.compactMap { entry in DamageResult.sum(entry.runs).map { (entry.engine, $0) } }
        guard !lines.isEmpty else { return "" }
        // A report of the opening, which a program has to ask for.
        let isTold = lines.contains { ($0.1.lostButTold ?? 0) > 0 }
        let heads = Self.outcomes.map { outcome -> Markup in
            "<th scope=\"col\" class=\"n\"><span class=\"swatch \(outcome.className)\"></span>\(outcome.title)</th>"
        }
        let legend = Self.outcomes.map { outcome -> Markup in
            "<li><span class=\"swatch \(outcome.className)\"></span><b>\(outcome.title)</b>: \(outcome.meaning)</li>"
        }
        return """
            <article class="row whole" id="row-\(comparison.row.id)"><h4><code>\(comparison.row.id)</code> \
            \(comparison.row.title)</h4>
            <ul class="legend">\(legend)</ul>
            \(lines.map(bar))
            <div class="scroll"><table class="damage"><thead><tr><th scope="col">engine</th>\(heads)\
            \(isTold ? "<th scope=\"col\" class=\"n\">of those lost, told on request</th>" as Markup : .empty)\
            <th scope="col" class="n">changes</th></tr></thead>\
            <tbody>\(lines.map { line($0.0, $0.1, isTold: isTold) })</tbody></table></div>
            \(FailureList(context: context, row: comparison.row).markup)</article>

            """
    }

    private func bar(_ engine: EngineInfo, _ damage: DamageResult) -> Markup {
        let parts = Self.outcomes.map { outcome in
            StackedBar.Part(title: outcome.title, className: outcome.className, count: outcome.count(damage))
        }
        let words = parts.map { "\($0.title) \($0.count)" }.joined(separator: ", ")
        return """
            <div class="damaged" data-of="\(engine.id)">\
            <span class="of e \(context.look(engine).className)">\(context.name(engine))</span>\
            \(StackedBar(parts: parts).drawing("\(engine.title): \(words)"))</div>

            """
    }

    private func line(_ engine: EngineInfo, _ damage: DamageResult, isTold: Bool) -> Markup {
        let cells = Self.outcomes.map { outcome -> Markup in
            let count = outcome.count(damage)
            let alarms = outcome.isAlarming && count > 0
            return "<td class=\"n\(alarms ? " alarm" : "")\">\(Numbers.grouped(count))</td>"
        }
        return """
            <tr><th scope="row" class="e \(context.look(engine).className)">\(context.name(engine))</th>\(cells)\
            \(isTold ? "<td class=\"n\">\(damage.lostButTold.map(Numbers.grouped) ?? "")</td>" as Markup : .empty)\
            <td class="n">\(Numbers.grouped(damage.changes))</td></tr>

            """
    }

    /// What can become of a change.
    private struct Outcome: Sendable {
        let title: String
        let meaning: String
        let className: String
        let isAlarming: Bool
        let count: @Sendable (DamageResult) -> Int
    }

    private static let outcomes = [
        Outcome(
            title: "harmless", meaning: "every record came back as it was put", className: "harmless",
            isAlarming: false,
            count: { $0.harmless }),
        Outcome(
            title: "refused", meaning: "the engine said so", className: "refused", isAlarming: false,
            count: { $0.refused }),
        Outcome(
            title: "crashed", meaning: "the process died of it", className: "crashed", isAlarming: false,
            count: { $0.crashed }),
        Outcome(
            title: "hung", meaning: "it didn’t end in its time", className: "hung", isAlarming: false,
            count: { $0.hung }),
        Outcome(
            title: "lost", meaning: "records were missing, and nothing was said", className: "lost", isAlarming: true,
            count: { $0.lost }),
        Outcome(
            title: "wrong", meaning: "records came back that nobody put", className: "wrong", isAlarming: true,
            count: { $0.wrong }),
    ]
}
