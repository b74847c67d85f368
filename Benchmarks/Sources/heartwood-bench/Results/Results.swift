/// What a run of the program came to: the file that `--json` writes, that a later run resumes, and that the page, the
/// tables and the README's numbers are made from.
///
/// Everything that a reader of the file needs to understand a number stands in it: titles, units, settings, machine and
/// command.
struct Results: Sendable, Codable {
    /// The version of this layout.
    static let currentFormat = 1

    var format = Results.currentFormat
    /// The plan that was measured: `quick`, `default` or `full`.
    var plan: String
    /// How to measure the same again.
    var command: String
    /// All that was asked for; only results of the same are resumed.
    var parameters: Parameters?
    /// The version of Heartwood, with the commit where the sources are a checkout.
    var heartwood: String
    var machine: MachineInfo
    /// In seconds since 1970.
    var started: Double
    var finished: Double?
    /// Whether somebody ended it before its time.
    var isInterrupted = false
    var seed: UInt64
    var engines: [EngineInfo]
    /// Rows of the table, in its order, measured or not.
    var rows: [RowInfo]
    /// What was measured, in the order in which it was.
    var cells: [CellResult] = []
}

/// The machine, as far as figures depend on it.
struct MachineInfo: Sendable, Codable {
    var processor: String
    var cores: Int
    var memoryBytes: UInt64
    var system: String
    /// What the directory lies on: `ext4`.
    var fileSystem: String
    /// The device or its model, where the system tells.
    var disk: String?
    var swift: String
    /// The load of the last minute when it began.
    var load: Double?
}

/// An engine, or one of the ways in which it is used.
struct EngineInfo: Sendable, Codable, Identifiable {
    /// `heartwood`, `heartwood-mapped`, `heartwood-threads`, `rocksdb`, `leveldb`, `lmdb`, `sqlite`, `grdb`, `raw`.
    var id: String
    /// As people call it.
    var title: String
    /// What it is a way of using: `heartwood` for all of Heartwood's.
    var family: String
    var version: String
    /// What was set differently from how it comes, and why; one sentence each.
    var settings: [String]
    /// Why it wasn't measured, and how to get it; nil where it was.
    var missing: String?
}

/// What a write has survived once it has returned. Only equals are compared.
enum Promise: String, Sendable, Codable, CaseIterable {
    /// It is on the disk.
    case survivesPowerLoss
    /// It is in the kernel.
    case survivesProcessDeath
    /// It is in the process, and in the kernel some moments later.
    case mayLoseLastMoments

    var title: String {
        switch self {
        case .survivesPowerLoss: "survives power loss"
        case .survivesProcessDeath: "survives process death"
        case .mayLoseLastMoments: "may lose the last moments"
        }
    }
}

/// A row of the table: one piece of work, the same for all engines.
struct RowInfo: Sendable, Codable, Identifiable {
    /// `fillsync-64`.
    var id: String
    /// The name that the field knows: `fillsync`.
    var workload: String
    /// The section of the table.
    var group: String
    /// What is done, in a line.
    var title: String
    /// What the writes promise; nil where there are none.
    var promise: Promise?
    /// Threads or tasks that work at the same time.
    var workers: Int
    var keys: Int
    var valueBytes: Int
    /// What the row's figure is.
    var measure: Measure

    /// What is compared.
    enum Measure: String, Sendable, Codable {
        /// Operations a second; more is better.
        case rate
        /// Seconds of one whole; less is better.
        case seconds
        /// A figure named in `CellResult.Run.figures`: bytes by bytes or bytes a key; less is better.
        case figure
        /// Percentiles at a rate that is offered; less is better.
        case latency
        /// What became of changed bytes.
        case damage
    }
    /// Which figure, where `measure` is one.
    var figure: String?
}

/// What one engine did in one row.
struct CellResult: Sendable, Codable {
    var row: String
    var engine: String
    var runs: [Run] = []
    /// Why there are none, or fewer; the reason in a sentence.
    var failure: String?

    /// One run.
    struct Run: Sendable, Codable {
        var operations: Int
        var seconds: Double
        /// Bytes of keys and values of these operations.
        var bytes: UInt64
        var latency: LatencyResult?
        /// What else was measured, by name: see `Figures`.
        var figures: [String: Double] = [:]
        /// Second by second, where the row shows what happens over time.
        var timeline: [Moment]?
        var damage: DamageResult?
        /// When it began, in seconds since 1970: shows the interleaving.
        var started: Double

        /// Operations a second.
        var rate: Double { seconds > 0 ? Double(operations) / seconds : 0 }
    }

    /// One second, or one step, of a run.
    struct Moment: Sendable, Codable {
        /// Seconds since the run began.
        var second: Double
        var operations: Int
        /// In nanoseconds.
        var p99: UInt64
        var maximum: UInt64
    }
}

/// Latencies of one run, in nanoseconds, from an HDR histogram.
struct LatencyResult: Sendable, Codable {
    var count: Int
    var mean: Double
    var p50: UInt64
    var p90: UInt64
    var p99: UInt64
    var p999: UInt64
    var p9999: UInt64
    var maximum: UInt64
    /// Whether load was offered at a rate, and each operation counted from the moment at which it was due.
    var isCorrected: Bool
    /// The curve for drawing: percentile (0 to 100) and nanoseconds, some fifty points.
    var curve: [Point]

    struct Point: Sendable, Codable {
        var percentile: Double
        var nanoseconds: UInt64
    }
}

/// What became of changes of one byte each.
struct DamageResult: Sendable, Codable {
    var changes: Int
    /// The engine said so: opening, or a read, ended in an error.
    var refused: Int
    /// Every record came back as it was put, and nothing was said.
    var harmless: Int
    /// Records were missing, and nothing was said.
    var lost: Int
    /// A record that nobody put came back: another value, or another key.
    var wrong: Int
    /// The process died of it.
    var crashed: Int
    /// It didn't end within its time.
    var hung: Int
    /// Of those lost: where a report of the opening, which one has to ask for, told that something was passed over.
    var lostButTold: Int?
}
