/// How each engine was set, in its own sentences.
struct SettingsSection: Sendable {
    let context: PageContext

    var markup: Markup {
        let engines = context.compared.engines.filter { $0.missing == nil }
        guard !engines.isEmpty else { return "" }
        return """
            <section id="settings" aria-labelledby="settings-title"><h2 id="settings-title">How each engine was set</h2>
            <p class="hint">What differs from how it comes, and why. Who thinks that an engine was set badly can \
            change it and measure again.</p><div class="settings">\(engines.map(card))</div></section>

            """
    }

    private func card(_ engine: EngineInfo) -> Markup {
        let settings: Markup =
            engine.settings.isEmpty
            ? "<p class=\"hint\">As it comes.</p>"
            : "<ul>\(engine.settings.map { "<li>\($0)</li>" as Markup })</ul>"
        return """
            <article class="e \(context.look(engine).className)"><h3>\(context.name(engine)) \
            <small>\(engine.version)</small></h3>\(settings)</article>

            """
    }
}

/// What isn't on the page: engines that weren't there, cells that failed, rows that weren't reached.
struct MissingSection: Sendable {
    let context: PageContext

    var markup: Markup {
        let parts = [engines, failures, unreached]
        guard parts.contains(where: { !$0.text.isEmpty }) else { return "" }
        return """
            <section id="missing" aria-labelledby="missing-title"><h2 id="missing-title">What is missing</h2>
            \(parts)</section>

            """
    }

    private var engines: Markup {
        let missing = context.compared.engines.filter { $0.missing != nil }
        guard !missing.isEmpty else { return "" }
        let items = missing.map { "<dt>\($0.title)</dt><dd>\($0.missing ?? "")</dd>" as Markup }
        return "<h3>Engines that were not measured</h3><dl class=\"missing\">\(items)</dl>"
    }

    private var failures: Markup {
        let failed = context.results.cells.filter { $0.failure != nil }
        guard !failed.isEmpty else { return "" }
        let rows = failed.map { cell -> Markup in
            """
            <tr><th scope="row"><code>\(cell.row)</code></th><td>\(context.compared.title(of: cell.engine))</td>\
            <td class="n">\(cell.runs.count)</td><td class="reason">\(cell.failure ?? "")</td></tr>

            """
        }
        return """
            <h3>What failed</h3><div class="scroll"><table class="failed"><thead><tr><th scope="col">row</th>\
            <th scope="col">engine</th><th scope="col" class="n">runs done</th><th scope="col">reason</th></tr></thead>\
            <tbody>\(rows)</tbody></table></div>
            """
    }

    private var unreached: Markup {
        let touched = Set(context.results.cells.map(\.row))
        let rows = context.results.rows.filter { !touched.contains($0.id) }
        guard !rows.isEmpty else { return "" }
        let items = rows.map { "<li><code>\($0.id)</code></li>" as Markup }
        return "<h3>Rows that were not reached</h3><ul class=\"unreached\">\(items)</ul>"
    }
}
