/// How much is measured.
struct BenchOptions: Sendable {
    static let secondsRange = 0.01...600.0
    static let recordRange = 1...100_000_000
    /// Limited, because a thousand tasks each hold a value.
    static let valueRange = 8...(256 << 10)

    /// For each figure.
    var seconds = 2.0
    /// Records of the figures that don't wait for the disk.
    var records = 200_000
    var valueBytes = 100

    /// What is wrong with the options, and what to do about it; nil if they are valid.
    var problem: String? {
        if !Self.secondsRange.contains(seconds) {
            return "'--seconds \(seconds)' is out of range: give 0.01 to 600"
        }
        if !Self.recordRange.contains(records) {
            return "'--records \(records)' is out of range: give 1 to 100000000"
        }
        if !Self.valueRange.contains(valueBytes) {
            return "'--value-size \(valueBytes)' is out of range: give 8 to 262144"
        }
        return nil
    }
}

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

    /// The name in JSON, the name for people, and the unit that is counted.
    private var texts: (name: String, title: String, unit: String) {
        switch self {
        case .raw: ("raw", "raw append and sync", "syncs")
        case .fillsync(let tasks): ("fillsync-\(tasks)", "fillsync, \(Numbers.count(tasks, "task"))", "puts")
        case .fillrandom(let level): ("fillrandom-\(level.rawValue)", "fillrandom, \(level.rawValue)", "puts")
        case .fillbatch: ("fillbatch", "fillbatch, \(Numbers.grouped(BenchPlan.batchRecords)) each", "records")
        case .readrandom(let reading): ("readrandom-\(reading.rawValue)", "readrandom, \(reading.rawValue)", "gets")
        case .readseq: ("readseq", "readseq", "records")
        case .recovery: ("recovery", "recovery", "records")
        }
    }

    var name: String { texts.name }
    var title: String { texts.title }
    var unit: String { texts.unit }
    var isDurable: Bool { if case .fillsync = self { true } else { false } }
}

/// What is measured, in which order, and which disk space it takes. Only one store exists at a time.
struct BenchPlan: Sendable {
    static let batchRecords = 1_000
    /// The same data in every run.
    static let seed: UInt64 = 0x4865_6172_7477_6F6F
    /// Distinct keys of a durable figure; further puts overwrite.
    static let durableKeys = 1_024 * 2_000
    static let rawFileBytes = 16 << 20
    /// Bytes that a record takes in addition to key and value, with a commit of its own, and a margin.
    private static let recordOverhead = 120
    /// Two log segments, which are preallocated.
    private static let preallocatedBytes: UInt64 = 128 << 20

    let options: BenchOptions

    /// The last filling leaves the store that the later figures read and open.
    let figures: [BenchFigure] = [
        .raw, .fillsync(tasks: 1), .fillsync(tasks: 64), .fillsync(tasks: 1_024), .fillrandom(.written), .fillbatch,
        .fillrandom(.buffered), .readrandom(.pread), .readrandom(.mapped), .readseq, .recovery,
    ]

    init(_ options: BenchOptions) { self.options = options }

    /// The raw figure is measured in pieces: one at its own position, and one before each durable figure. A disk that
    /// others use may be ten times as slow a few seconds later, and a comparison needs the same conditions.
    var rawPieces: Int { 1 + figures.count { $0.isDurable } }

    private var recordBytes: Int { Dataset.keyBytes + options.valueBytes + Self.recordOverhead }

    /// A durable figure ends when its log may have grown by this much, even if time is left: the speed of the disk
    /// isn't known in advance, and the space must be free.
    var durableLogLimit: UInt64 { UInt64(Double(256 << 20) * max(1, options.seconds)) }

    /// The number of puts of each task of a durable figure, at most.
    func durablePuts(tasks: Int) -> Int { max(1, Int(durableLogLimit) / recordBytes / tasks) }

    /// The number of bytes that must be free.
    var neededBytes: UInt64 {
        // One put of each task, if that is more than the limit.
        let durable = max(durableLogLimit, UInt64(1_024 * recordBytes))
        let filled = UInt64(options.records) * UInt64(recordBytes)
        return max(durable, filled, UInt64(Self.rawFileBytes)) + Self.preallocatedBytes
    }
}
