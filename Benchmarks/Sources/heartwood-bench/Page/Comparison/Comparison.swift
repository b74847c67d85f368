/// One row with what every engine came to in it. A row has one promise, so only equals meet here.
struct Comparison: Sendable {
    let row: RowInfo
    /// The engines that have figures, in the order of the results.
    let entries: [Entry]

    /// One engine's share.
    struct Entry: Sendable {
        let engine: EngineInfo
        let figures: RunFigures
        let runs: [CellResult.Run]
    }

    init(_ row: RowInfo, engines: [EngineInfo], cells: [CellResult]) {
        self.row = row
        entries = engines.compactMap { engine in
            let runs = cells.filter { $0.engine == engine.id }.flatMap(\.runs)
            return RunFigures(runs.compactMap(row.value)).map { Entry(engine: engine, figures: $0, runs: runs) }
        }
    }

    /// Heartwood as it comes, or the first of its ways that was measured: what ratios refer to.
    var heartwood: Entry? { ways.first { $0.engine.id == EngineInfo.heartwood } ?? ways.first }
    /// What bars are drawn in proportion to: Heartwood, or the first engine where it has no figure.
    var base: Entry? { heartwood ?? entries.first }
    /// All the ways of using Heartwood that were measured.
    var ways: [Entry] { entries.filter { $0.engine.isHeartwood } }
    /// The engines that Heartwood is compared with.
    var peers: [Entry] { entries.filter { $0.engine.isPeer } }

    /// An engine's median by Heartwood's.
    func ratio(_ entry: Entry) -> Double? {
        heartwood.flatMap { Self.quotient(entry.figures.median, $0.figures.median) }
    }

    /// How many times as good one is as the other: below 1 where it is behind.
    func lead(_ entry: Entry, over other: Entry) -> Double? {
        row.isMoreBetter
            ? Self.quotient(entry.figures.median, other.figures.median)
            : Self.quotient(other.figures.median, entry.figures.median)
    }

    /// Whether the first one's median is better.
    func isBetter(_ entry: Entry, than other: Entry) -> Bool {
        row.isMoreBetter
            ? entry.figures.median > other.figures.median : entry.figures.median < other.figures.median
    }

    /// The peers that this one doesn't lead, the best first: who is level counts as not led.
    func notLed(by entry: Entry) -> [Entry] {
        peers.filter { !isBetter(entry, than: $0) }.sorted { isBetter($0, than: $1) }
    }

    /// The best of the peers.
    var bestPeer: Entry? {
        peers.reduce(nil) { best, peer in best.map { isBetter(peer, than: $0) ? peer : $0 } ?? peer }
    }

    private static func quotient(_ dividend: Double, _ divisor: Double) -> Double? {
        guard dividend > 0, divisor > 0 else { return nil }
        let result = dividend / divisor
        return result.isFinite ? result : nil
    }
}

extension EngineInfo {
    static let heartwood = "heartwood"
    static let raw = "raw"

    var isHeartwood: Bool { family == Self.heartwood }
    /// The physical limit is no engine that one could use instead.
    var isRaw: Bool { family == Self.raw || id == Self.raw }
    var isPeer: Bool { !isHeartwood && !isRaw }
}
