/// Where Heartwood stands in one row.
struct Standing: Sendable {
    let comparison: Comparison
    let outcome: Outcome

    /// Derived from the medians.
    enum Outcome: Sendable {
        /// With its defaults it leads every peer; the nearest, by how much, and whether some of the runs overlap.
        case leads(nearest: Comparison.Entry, lead: Double?, overlaps: Bool)
        /// With its defaults it doesn't, but this way to use it does; with those that are ahead of the defaults.
        case leadsAs(way: Comparison.Entry, ahead: [Comparison.Entry])
        /// Those that are ahead, the best first.
        case behind([Comparison.Entry])
        /// Nothing to compare.
        case unknown(String)
    }

    init(_ comparison: Comparison) {
        self.comparison = comparison
        outcome = Self.outcome(comparison)
    }

    private static func outcome(_ comparison: Comparison) -> Outcome {
        guard let heartwood = comparison.heartwood else { return .unknown("Heartwood was not measured") }
        guard let best = comparison.bestPeer else { return .unknown("no peer was measured") }
        let ahead = comparison.notLed(by: heartwood)
        guard !ahead.isEmpty else {
            return .leads(
                nearest: best, lead: comparison.lead(heartwood, over: best),
                overlaps: comparison.peers.contains { $0.figures.overlaps(heartwood.figures) })
        }
        if let way = comparison.ways.first(where: { comparison.notLed(by: $0).isEmpty }) {
            return .leadsAs(way: way, ahead: ahead)
        }
        return .behind(ahead)
    }

    /// Whether a peer is ahead of Heartwood with its defaults.
    var isBehind: Bool {
        switch outcome {
        case .behind, .leadsAs: true
        case .leads, .unknown: false
        }
    }

    /// The outcome in words: `LMDB is 1.31× ahead`.
    var words: String {
        switch outcome {
        case .leads(let nearest, let lead, let overlaps):
            let by = lead.map { "\(FigureText.ratio($0)) " } ?? ""
            return "Heartwood is " + by + "ahead of \(nearest.engine.title)" + doubt(nearest, overlaps)
        case .leadsAs(let way, let ahead):
            return "\(way.engine.title) leads; as it comes, \(words(ahead))"
        case .behind(let ahead): return words(ahead)
        case .unknown(let reason): return reason
        }
    }

    /// Why a difference is not certain.
    private func doubt(_ peer: Comparison.Entry, _ overlaps: Bool) -> String {
        if overlaps { return " (some runs overlap)" }
        let isSingle = peer.figures.count == 1 || comparison.heartwood?.figures.count == 1
        return isSingle && comparison.row.measure != .damage ? " (one run)" : ""
    }

    private func words(_ ahead: [Comparison.Entry]) -> String {
        guard let heartwood = comparison.heartwood else { return "" }
        return ahead.map { peer in
            guard comparison.isBetter(peer, than: heartwood) else { return "\(peer.engine.title) is level" }
            guard let lead = comparison.lead(peer, over: heartwood) else { return "\(peer.engine.title) is ahead" }
            let doubt = doubt(peer, peer.figures.overlaps(heartwood.figures))
            return "\(peer.engine.title) is \(FigureText.ratio(lead)) ahead\(doubt)"
        }.joined(separator: ", ")
    }
}

extension ComparedResults {
    /// Where Heartwood stands in every row that has a peer.
    var standings: [Standing] { comparable.map(Standing.init) }
}
