/// A figure that is measured.
enum BenchFigure: Sendable, Hashable {
    /// How values are read.
    enum Reading: String, Sendable { case pread, mapped }

    /// Appends to a file, each synced: what the disk can do.
    case raw
    /// Durable puts of this many tasks.
    case fillsync(tasks: Int)
    /// Puts of one task that don't wait for the disk.
    case fillrandom(DurabilityLevel)
    /// Batches of one task.
    case fillbatch
    case readrandom(Reading)
    case readseq
    /// Openings of a store.
    case recovery

    /// The name in JSON.
    var name: String {
        switch self {
        case .raw: "raw"
        case .fillsync(let tasks): "fillsync-\(tasks)"
        case .fillrandom(let level): "fillrandom-\(level.rawValue)"
        case .fillbatch: "fillbatch"
        case .readrandom(let reading): "readrandom-\(reading.rawValue)"
        case .readseq: "readseq"
        case .recovery: "recovery"
        }
    }

    /// The name for people.
    var title: String {
        switch self {
        case .raw: "raw append and sync"
        case .fillsync(let tasks): "fillsync, \(Numbers.count(tasks, "task"))"
        case .fillrandom(let level): "fillrandom, \(level.rawValue)"
        case .fillbatch: "fillbatch, \(Numbers.grouped(BenchPlan.batchRecords)) each"
        case .readrandom(let reading): "readrandom, \(reading.rawValue)"
        case .readseq: "readseq"
        case .recovery: "recovery"
        }
    }

    /// The unit that is counted.
    var unit: String {
        switch self {
        case .raw: "syncs"
        case .fillsync, .fillrandom: "puts"
        case .readrandom: "gets"
        case .fillbatch, .readseq, .recovery: "records"
        }
    }
}
