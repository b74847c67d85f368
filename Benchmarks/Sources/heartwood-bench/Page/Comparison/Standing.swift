/// Where Heartwood stands in one row.
struct Standing: Sendable {
    let comparison: Comparison
    let outcome: Outcome

    /// Told from medians alone.
    enum Outcome: Sendable {
        /// As it comes it is ahead of every peer; the nearest, by how much, and whether some of the runs overlap.
        case leads(nearest: Comparison.Entry, lead: Double?, overlaps: Bool)
        /// As it comes it isn't, but used in this way it is; with those that are ahead of the default.
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

    /// Whether there was anything to compare.
    var isKnown: Bool {
        if case .unknown = outcome { false } else { true }
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

    /// The outcome in words: `LMDB is 1.31× ahead`.
    var words: String {
        switch outcome {
        case .leads(let nearest, let lead, let overlaps):
            let by = lead.map { "\(FigureText.ratio($0)) " } ?? ""
            return by + "ahead of \(nearest.engine.title)" + doubt(nearest, overlaps)
        case .leadsAs(let way, let ahead):
            return "\(way.engine.title) leads; as it comes, \(words(ahead))"
        case .behind(let ahead): return words(ahead)
        case .unknown(let reason): return reason
        }
    }

    /// What speaks against taking a difference for certain.
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
    /// The rows in which Heartwood claims to lead every peer.
    var claims: [Standing] {
        let names: Set = ["fillrandom", "fillbatch", "overwrite", "readrandom", "write-amplification"]
        return comparisons.filter { comparison in
            let id = comparison.row.id
            return names.contains(id) || id.hasPrefix("fillsync-") || id == "recovery" || id.hasPrefix("recovery-")
        }.map(Standing.init)
    }

    /// Where Heartwood stands in every row that has a peer.
    var standings: [Standing] { comparable.map(Standing.init) }
}
