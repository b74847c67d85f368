internal import Foundation

/// All that a run came to, for programs; the tables are made from the same.
struct Report: Sendable, Codable {
    /// Raised when a field changes its meaning.
    var format = 2
    var date: Date
    var commandLine: [String]
    var machine: Machine
    /// The engines that Heartwood is compared with.
    var peers: [PeerDescription]
    var directory: String
    var fileSystem: MountedFileSystem?
    var settings: Settings
    /// Whether every run was done: false after Ctrl-C or an error.
    var isComplete: Bool
    var cells: [Entry]

    /// What was asked for.
    struct Settings: Sendable, Codable {
        var lengths: Lengths
        var runs: Int
        var keys: Int
        var keyBytes = Dataset.keyBytes
        var valueBytes = Dataset.valueBytes
    }

    /// One workload.
    struct Entry: Sendable, Codable {
        var engine: String
        var name: String
        var group: WorkloadGroup
        /// Operations a second.
        var rate: Spread
        /// The median's ratio to that of the raw loop.
        var timesRaw: Double?
        /// Of another engine: how many times its median Heartwood's is, at the same work.
        var timesHere: Double?
        /// Seconds that a whole takes at the median rate, where there are wholes: of one opening.
        var wholeSeconds: Double?
        var verdicts: [Verdict]
        var latency: LatencySummary?
        var syncsPerSecond: Spread?
        var writesPerSync: Spread?
        /// Turns to a new log segment, in the run that had the fewest.
        var rotations: UInt64?
        /// Something else that went on meanwhile, operations a second.
        var beside: Spread?
        var footprint: Footprint?
        /// What else was measured, by the names of `Figure`.
        var figures: [String: Spread]?
        var runs: [SingleRun]
    }

    /// One run of a workload.
    struct SingleRun: Sendable, Codable {
        var operations: Int
        var seconds: Double
        var latency: LatencySummary?
    }

    /// The JSON, with its fields in a fixed order.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

extension Report {
    /// The entries of the cells that ran at least once.
    static func entries(_ cells: [Cell], _ lengths: Lengths) -> [Entry] {
        let judge = Judge(cells, lengths)
        let rates = Dictionary(
            uniqueKeysWithValues: cells.compactMap { cell in cell.rate.map { (cell.workload.name, $0.median) } })
        return cells.compactMap { cell in
            guard let rate = cell.rate else { return nil }
            let workload = cell.workload
            var entry = Entry(
                engine: workload.engine, name: workload.name, group: workload.group, rate: rate,
                timesHere: workload.baseline.flatMap { rates[$0] }.map { $0 / rate.median },
                wholeSeconds: cell.wholeSeconds, verdicts: judge.verdicts(cell), latency: cell.latencies?.summary,
                beside: cell.beside, footprint: cell.footprint,
                runs: cell.samples.map {
                    SingleRun(operations: $0.operations, seconds: $0.seconds, latency: $0.latencies?.summary)
                })
            if workload.group == .durable {
                entry.timesRaw = rates[RawLoop.name].map { rate.median / $0 }
                entry.syncsPerSecond = cell.syncRate
                entry.writesPerSync = cell.writesPerSync
                entry.rotations = cell.rotations
            }
            let figures = Figure.allCases.compactMap { figure in cell.figure(figure).map { (figure.rawValue, $0) } }
            if !figures.isEmpty { entry.figures = Dictionary(uniqueKeysWithValues: figures) }
            return entry
        }
    }
}
