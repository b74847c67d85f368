internal import Foundation

/// All that a run came to, for programs; the tables are made from the same.
struct Report: Sendable, Codable {
    /// Raised when a field changes its meaning.
    var format = 1
    var date: Date
    var commandLine: [String]
    var machine: Machine
    var directory: String
    var fileSystem: MountedFileSystem?
    var settings: Settings
    /// Whether every run was done: false after Ctrl-C or an error.
    var isComplete: Bool
    var cells: [Entry]

    /// What was asked for.
    struct Settings: Sendable, Codable {
        var seconds: Double
        var runs: Int
        var keyBytes = Dataset.keyBytes
        var valueBytes = Dataset.valueBytes
        var keys = Dataset.keyCount
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
        var targetPerSecond: Double?
        var targetTimesRaw: Double?
        /// Nil where there is no target, or where it can't be told because the raw loop was erratic.
        var isReached: Bool?
        var latency: LatencySummary?
        var syncsPerSecond: Spread?
        var writesPerSync: Spread?
        /// Something else that went on meanwhile, operations a second.
        var beside: Spread?
        var runs: [SingleRun]

        /// Whether there is something to reach.
        var hasTarget: Bool { targetPerSecond != nil || targetTimesRaw != nil }
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
    static func entries(_ cells: [Cell]) -> [Entry] {
        let rawRate = cells.first { $0.workload.name == RawLoop.name }?.rate
        let raw = rawRate?.median
        return cells.compactMap { cell in
            guard let rate = cell.rate else { return nil }
            let workload = cell.workload
            let timesRaw = workload.group == .durable ? raw.map { rate.median / $0 } : nil
            var entry = Entry(
                engine: workload.name == RawLoop.name ? "raw" : "heartwood", name: workload.name,
                group: workload.group, rate: rate, timesRaw: timesRaw,
                isReached: workload.target?.isReached(rate: rate.median, timesRaw: timesRaw) ?? nil,
                latency: cell.latencies?.summary, beside: cell.beside,
                runs: cell.samples.map {
                    SingleRun(operations: $0.operations, seconds: $0.seconds, latency: $0.latencies?.summary)
                })
            if workload.group == .durable {
                entry.syncsPerSecond = cell.syncRate
                entry.writesPerSync = cell.writesPerSync
            }
            switch workload.target {
            case .perSecond(let wanted): entry.targetPerSecond = wanted
            case .timesRaw(let wanted):
                entry.targetTimesRaw = wanted
                // A ratio to a rate that was now this, now that, proves nothing, whatever it says.
                if rawRate?.isErratic == true { entry.isReached = nil }
            case nil: break
            }
            return entry
        }
    }
}
