/// What is measured in which order, and what room it takes. Only one store is there at a time.
struct BenchPlan: Sendable {
    static let batchRecords = 1_000
    /// The same data in every run.
    static let seed: UInt64 = 0x4865_6172_7477_6F6F
    /// Distinct keys of a durable figure; what goes beyond them overwrites. A multiple of each number of tasks, so that a
    /// key is always the same task's.
    static let durableKeys = 1_024 * 2_000

    let options: BenchOptions

    /// The filling that comes last leaves the store that is read and opened behind it.
    let figures: [BenchFigure] = [
        .raw, .fillsync(tasks: 1), .fillsync(tasks: 64), .fillsync(tasks: 1_024), .fillrandom(.written), .fillbatch,
        .fillrandom(.buffered), .readrandom(.pread), .readrandom(.mapped), .readseq, .recovery,
    ]

    init(_ options: BenchOptions) { self.options = options }

    /// Into how many pieces the raw figure is cut: one in its own place, and one before each durable figure.
    var rawPieces: Int {
        1
            + figures.count { figure in
                guard case .fillsync = figure else { return false }
                return true
            }
    }

    /// The most that the log of a durable figure grows before the figure ends, whatever time is left: nobody knows
    /// beforehand how fast the disk is, and the room has to be there. More than four times as much as was ever seen.
    var durableLogLimit: UInt64 { UInt64(Double(256 << 20) * max(1, options.seconds)) }

    /// After so many puts of its own the first of the tasks looks whether the limit is reached; the others put about as
    /// many meanwhile.
    var putsBetweenLooks: Int { options.valueBytes <= 4096 ? 16 : 1 }

    /// Bytes that have to be free.
    var neededBytes: UInt64 {
        let record = UInt64(BenchKey.byteCount + options.valueBytes + Self.recordOverhead)
        // Each task has one more under way when the limit is noticed.
        let overshoot = UInt64((putsBetweenLooks + 1) * Self.mostTasks) * record
        let durable = durableLogLimit + overshoot
        let filled = UInt64(options.records) * record
        return max(durable, filled, UInt64(RawFloor.fileBytes)) + Self.roomAhead
    }

    private static let mostTasks = 1_024
    /// What a record takes beside key and value, with a commit of its own, and some more.
    private static let recordOverhead = 120
    /// Two log segments, laid before they are written to.
    private static let roomAhead: UInt64 = 128 << 20
}
