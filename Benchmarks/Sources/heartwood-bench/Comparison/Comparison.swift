/// One row with every engine's figures. A row has one promise, so only equal promises are compared.
struct Comparison: Sendable {
    let row: RowInfo
    /// The engines that have figures, in the order of the results.
    let entries: [Entry]

    /// One engine's figures.
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

    /// Heartwood with its defaults, or the first way that was measured: ratios refer to it.
    var heartwood: Entry? { ways.first { $0.engine.id == EngineInfo.heartwood } ?? ways.first }
    /// All ways to use Heartwood that were measured.
    var ways: [Entry] { entries.filter { $0.engine.isHeartwood } }
    /// The engines that Heartwood is compared with.
    var peers: [Entry] { entries.filter { $0.engine.isPeer } }

    /// An engine's median divided by Heartwood's.
    func ratio(_ entry: Entry) -> Double? {
        heartwood.flatMap { Self.quotient(entry.figures.median, $0.figures.median) }
    }

    /// How many times as good one is as the other: below 1 if it is behind.
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

    /// The peers that this one doesn't lead, the best first; an equal median counts as not led.
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
    /// The limit of the machine, not an engine.
    var isRaw: Bool { family == Self.raw || id == Self.raw }
    var isPeer: Bool { !isHeartwood && !isRaw }
}
