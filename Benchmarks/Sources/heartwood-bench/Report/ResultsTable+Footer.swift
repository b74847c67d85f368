internal import Foundation

extension ResultsTable {
    /// Engines and cells without figures, with the reasons.
    var missing: [String] {
        let engines = compared.engines.compactMap { engine in engine.missing.map { "\(engine.title): \($0)" } }
        let failures = compared.results.cells.compactMap { cell in
            cell.failure.map { "\(cell.row), \(compared.title(of: cell.engine)): \($0)" }
        }
        return [("NOT MEASURED", engines), ("FAILED", failures)].flatMap { title, texts -> [String] in
            texts.isEmpty ? [] : ["", style.strong(title)] + texts.flatMap { Self.wrapped($0, indent: 2) }
        }
    }

    /// Whether Heartwood leads every peer in the rows where it claims to.
    var claims: [String] {
        let standings = compared.claims
        guard !standings.isEmpty else { return [] }
        let lines = standings.flatMap { standing -> [String] in
            let (mark, isWarning) = Self.mark(standing.outcome)
            let name = PlainText.cut(PlainText.printable(standing.comparison.row.id), to: 20)
            let start = [name.padding(toLength: 22, withPad: " ", startingAt: 0), mark].joined()
                .padding(toLength: 33, withPad: " ", startingAt: 0)
            return Self.wrapped(standing.words, first: start, indent: 33).map { isWarning ? style.warning($0) : $0 }
        }
        return ["", style.strong("DOES HEARTWOOD LEAD EVERY PEER?")] + lines
    }

    private static func mark(_ outcome: Standing.Outcome) -> (String, isWarning: Bool) {
        switch outcome {
        case .leads: ("yes", false)
        case .leadsAs: ("in one way", false)
        case .behind: ("NO", true)
        case .unknown: ("?", false)
        }
    }
}
