/// What is measured, in which order, and which disk space it takes. Only one store exists at a time.
struct BenchPlan: Sendable {
    static let batchRecords = 1_000
    /// The same data in every run.
    static let seed: UInt64 = 0x4865_6172_7477_6F6F
    /// Distinct keys of a durable figure; further puts overwrite. A multiple of each number of tasks, so that one task
    /// alone writes a key.
    static let durableKeys = 1_024 * 2_000

    let options: BenchOptions

    /// The last filling leaves the store that the later figures read and open.
    let figures: [BenchFigure] = [
        .raw, .fillsync(tasks: 1), .fillsync(tasks: 64), .fillsync(tasks: 1_024), .fillrandom(.written), .fillbatch,
        .fillrandom(.buffered), .readrandom(.pread), .readrandom(.mapped), .readseq, .recovery,
    ]

    init(_ options: BenchOptions) { self.options = options }

    /// How many pieces the raw figure has: one at its own position, and one before each durable figure.
    var rawPieces: Int {
        1
            + figures.count { figure in
                guard case .fillsync = figure else { return false }
                return true
            }
    }

    /// A durable figure ends when its log has grown by this much, even if time is left: the speed of the disk isn't
    /// known in advance, and the space must be free. More than four times the highest known speed.
    var durableLogLimit: UInt64 { UInt64(Double(256 << 20) * max(1, options.seconds)) }

    /// After this many of its puts, the first task checks whether the limit is reached. The other tasks make about as
    /// many puts meanwhile.
    var putsBetweenLooks: Int { options.valueBytes <= 4096 ? 16 : 1 }

    /// The number of bytes that must be free.
    var neededBytes: UInt64 {
        let record = UInt64(BenchKey.byteCount + options.valueBytes + Self.recordOverhead)
        // When the limit is noticed, each task still has one put in progress.
        let overshoot = UInt64((putsBetweenLooks + 1) * Self.mostTasks) * record
        let durable = durableLogLimit + overshoot
        let filled = UInt64(options.records) * record
        return max(durable, filled, UInt64(RawFloor.fileBytes)) + Self.preallocatedBytes
    }

    private static let mostTasks = 1_024
    /// Bytes that a record takes in addition to key and value, with a commit of its own, and a margin.
    private static let recordOverhead = 120
    /// Two log segments, which are preallocated.
    private static let preallocatedBytes: UInt64 = 128 << 20
}
