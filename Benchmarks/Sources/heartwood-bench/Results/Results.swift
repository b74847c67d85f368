/// The results of a run of the program: the file that `--json` writes and that a later run resumes. The tables and the
/// figures of documents are made from it.
///
/// The file has everything that a reader needs to understand a number: titles, units, settings, machine and command.
struct Results: Sendable, Codable {
    /// The version of this format.
    static let currentFormat = 1

    var format = Results.currentFormat
    /// The plan that was measured: `quick`, `default` or `full`.
    var plan: String
    /// The command that was used.
    var command: String
    /// The parameters. Only results with the same parameters are resumed.
    var parameters: Parameters?
    /// The version of Heartwood, with the commit if the sources are a Git checkout.
    var heartwood: String
    var machine: MachineInfo
    /// In seconds since 1970.
    var started: Double
    var finished: Double?
    /// Whether the run was ended early.
    var isInterrupted = false
    var seed: UInt64
    var engines: [EngineInfo]
    /// Rows of the table, in its order, measured or not.
    var rows: [RowInfo]
    /// What was measured, in the order of measurement.
    var cells: [CellResult] = []
}

/// The machine, as far as figures depend on it.
struct MachineInfo: Sendable, Codable {
    var processor: String
    var cores: Int
    var memoryBytes: UInt64
    var system: String
    /// The file system of the directory: `ext4`.
    var fileSystem: String
    /// The device or its model, if known.
    var disk: String?
    var swift: String
    /// The load of the last minute before the run.
    var load: Double?
}

/// An engine, or one way of using it.
struct EngineInfo: Sendable, Codable, Identifiable {
    /// `heartwood`, `heartwood-mapped`, `heartwood-threads`, `rocksdb`, `leveldb`, `lmdb`, `sqlite`, `grdb`,
    /// `json-file`, `json-file-synced`, `redis`, `raw`.
    var id: String
    /// The name in tables.
    var title: String
    /// The engine of which it is a way of using: `heartwood` for all of Heartwood's.
    var family: String
    var version: String
    /// Settings that differ from the defaults, with the reasons; one sentence each.
    var settings: [String]
    /// Why it wasn't measured, and how to install it; nil if it was measured.
    var missing: String?
}

/// What a write survives once it has returned. Only rows with the same promise are compared.
enum Promise: String, Sendable, Codable, CaseIterable {
    /// The write is on the disk.
    case survivesPowerLoss
    /// The write is in the kernel.
    case survivesProcessDeath
    /// The write is in the process, and in the kernel within 10 ms.
    case mayLoseLastMoments

    var title: String {
        switch self {
        case .survivesPowerLoss: "survives power loss"
        case .survivesProcessDeath: "survives process death"
        case .mayLoseLastMoments: "may lose the last moments"
        }
    }

    /// What a write survives, in a few words.
    var survived: String { self == .mayLoseLastMoments ? "neither" : String(title.dropFirst("survives ".count)) }
}

/// A row of the table: the same work for all engines.
struct RowInfo: Sendable, Codable, Identifiable {
    /// `fillsync-64`.
    var id: String
    /// The usual name of the workload: `fillsync`.
    var workload: String
    /// The section of the table.
    var group: String
    /// What is done, in one line.
    var title: String
    /// What the writes survive; nil if there are none.
    var promise: Promise?
    /// Number of threads or tasks that work at the same time.
    var workers: Int
    var keys: Int
    var valueBytes: Int
    /// The kind of the row's figure.
    var measure: Measure

    /// The kind of a figure.
    enum Measure: String, Sendable, Codable {
        /// Operations a second; more is better.
        case rate
        /// Seconds of one operation; less is better.
        case seconds
        /// A figure named in `CellResult.Run.figures`, like bytes per key; less is better.
        case figure
        /// Percentiles of latency at a fixed rate; less is better.
        case latency
        /// Effects of changed bytes.
        case damage
    }
    /// The name of the figure, if `measure` is `figure`.
    var figure: String?
}

/// The runs of one engine in one row.
struct CellResult: Sendable, Codable {
    var row: String
    var engine: String
    var runs: [Run] = []
    /// Why runs are missing, in a sentence.
    var failure: String?

    struct Run: Sendable, Codable {
        var operations: Int
        var seconds: Double
        /// Bytes of keys and values of these operations.
        var bytes: UInt64
        var latency: LatencyResult?
        /// Further figures by name: see `Figure`.
        var figures: [String: Double] = [:]
        var damage: DamageResult?

        /// Operations a second.
        var rate: Double { seconds > 0 ? Double(operations) / seconds : 0 }
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
    /// Whether operations were offered at a fixed rate, and measured from the time at which they were due.
    var isCorrected: Bool
}

/// Effects of changes of one byte each.
struct DamageResult: Sendable, Codable {
    var changes: Int
    /// The opening or a read failed with an error.
    var refused: Int
    /// Every record was returned as it was put, without an error.
    var harmless: Int
    /// Records were missing, without an error.
    var lost: Int
    /// A record was returned that was never put: another value, or another key.
    var wrong: Int
    /// The process died.
    var crashed: Int
    /// The process didn't end within the time limit.
    var hung: Int
}
