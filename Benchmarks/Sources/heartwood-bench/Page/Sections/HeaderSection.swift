/// What was measured, when, where, and how to do it again.
struct HeaderSection: Sendable {
    let context: PageContext

    private var results: Results { context.results }

    var markup: Markup {
        let state: Markup =
            results.isInterrupted
            ? "<span class=\"badge warned\">interrupted: what was measured until then</span>"
            : results.finished == nil
                ? "<span class=\"badge warned\">not finished</span>" : "<span class=\"badge fine\">complete</span>"
        return """
            <header><div><p class="kicker">heartwood-bench</p><h1>Heartwood beside other engines</h1></div>
            <button type="button" id="theme" hidden="hidden">Theme: as the system</button></header>
            <section id="run" aria-label="The run"><p class="state">\(state) Plan <b>\(results.plan)</b>, \
            begun \(FigureText.moment(results.started))\(length), \(counts).</p>
            <dl>\(facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" as Markup })</dl>
            <p class="command"><span>To measure the same again:</span> <code>\(results.command)</code></p>
            </section>

            """
    }

    private var length: String {
        results.finished.map { ", \(FigureText.duration($0 - results.started)) long" } ?? ""
    }

    private var counts: String {
        let cells = context.compared.comparisons.reduce(0) { $0 + $1.entries.count }
        let runs = results.cells.reduce(0) { $0 + $1.runs.count }
        let rows = context.compared.comparisons.filter { !$0.entries.isEmpty }.count
        return "\(count(rows, "row")), \(count(cells, "cell")), \(count(runs, "run"))"
    }

    private func count(_ number: Int, _ word: String) -> String {
        "\(Numbers.grouped(number)) \(word)\(number == 1 ? "" : "s")"
    }

    private var facts: [(String, String)] {
        let machine = results.machine
        let versions = context.compared.engines.filter { $0.missing == nil && !$0.isRaw && !$0.isHeartwood }
            .map { "\($0.title) \($0.version)" }.joined(separator: ", ")
        return [
            ("Processor", "\(machine.processor), \(machine.cores) cores"),
            ("Memory", Numbers.bytes(machine.memoryBytes)),
            ("System", machine.system),
            ("File system", machine.fileSystem + (machine.disk.map { " on \($0)" } ?? "")),
            ("Heartwood", results.heartwood),
            ("Peers", versions.isEmpty ? "none" : versions),
            ("Swift", machine.swift),
            ("Seed", String(results.seed)),
            ("Load before", machine.load.map { Numbers.ratio(min(max($0, 0), 1e6)) } ?? "not known"),
        ]
    }
}

/// The classes of durability, and the engines with the colours and shapes that stand for them.
struct TermsSection: Sendable {
    let context: PageContext

    var markup: Markup {
        let promises = Promise.allCases.map { promise -> Markup in
            "<dt>\(Badge.of(promise))</dt><dd>\(promise.explanation)</dd>"
        }
        let engines = context.compared.engines.filter { $0.missing == nil }.map { engine -> Markup in
            """
            <li class="e \(context.look(engine).className)"><label>\
            <input type="checkbox" checked="checked" hidden="hidden" data-engine="\(engine.id)"/>\
            \(context.look(engine).lineKey)\(engine.title)</label></li>
            """
        }
        return """
            <section id="terms" aria-labelledby="terms-title"><h2 id="terms-title">How to read this</h2>
            <dl class="promises">\(promises)</dl>
            <p>Only rows of the same class are compared. Bars and ratios are each engine’s figure by Heartwood’s, \
            which is 1; bars are medians of all runs, whiskers go from the lowest run to the highest. Runs of the \
            engines take turns. <i>raw</i> is what the machine does with the same bytes and no engine: a measure, and \
            no peer.</p>
            <ul class="legend" id="legend" aria-label="Engines">\(engines)</ul></section>

            """
    }
}

/// A word that is set off.
enum Badge {
    static func of(_ promise: Promise?) -> Markup {
        switch promise {
        case .survivesPowerLoss?: "<span class=\"badge power\">\(Promise.survivesPowerLoss.title)</span>"
        case .survivesProcessDeath?: "<span class=\"badge process\">\(Promise.survivesProcessDeath.title)</span>"
        case .mayLoseLastMoments?: "<span class=\"badge moments\">\(Promise.mayLoseLastMoments.title)</span>"
        case nil: "<span class=\"badge plain\">no writes promised</span>"
        }
    }
}
