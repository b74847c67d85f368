/// The core workloads of YCSB (Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010).
enum YCSBMix: String, Sendable, CaseIterable {
    case a, b, c, d, e, f

    /// Percentages of the operations.
    var shares: (reads: Int, updates: Int, inserts: Int, scans: Int, changes: Int) {
        switch self {
        case .a: (50, 50, 0, 0, 0)
        case .b: (95, 5, 0, 0, 0)
        case .c: (100, 0, 0, 0, 0)
        case .d: (95, 0, 5, 0, 0)
        case .e: (0, 0, 5, 95, 0)
        case .f: (50, 0, 0, 0, 50)
        }
    }

    var title: String {
        switch self {
        case .a: "half reads, half updates, zipfian"
        case .b: "95 % reads, 5 % updates, zipfian"
        case .c: "reads, zipfian"
        case .d: "95 % reads of the latest, 5 % inserts"
        case .e: "95 % scans of 1 to 100 records, 5 % inserts"
        case .f: "half reads, half read-modify-writes, zipfian"
        }
    }
}

/// One operation.
enum YCSBOperation: Sendable, Equatable {
    case read(Int)
    case update(Int, value: Int)
    case insert(Int, value: Int)
    case scan(Int, length: Int)
    /// Read, then written.
    case change(Int, value: Int)

    /// The number of its key.
    var number: Int {
        switch self {
        case .read(let number), .update(let number, _), .insert(let number, _), .scan(let number, _),
            .change(let number, _):
            number
        }
    }
}

/// The operations of one worker; the same sequence for the same arguments.
///
/// Workers insert keys with different numbers. "Latest" keys are those that this worker has inserted and those that the
/// store was filled with: the newest key of another worker may not be there yet.
struct YCSBWalk: Sendable {
    private let mix: YCSBMix
    private let keyCount: Int
    private let valueCount: Int
    private let worker: Int
    private let workers: Int
    private let scrambled: ScrambledZipfian
    private var latest: Zipfian?
    private var random: SplitMix64
    private(set) var inserted = 0

    /// - Parameter zipfian: Of all keys, for the latest; shared, because it takes long to make.
    init(
        _ mix: YCSBMix, keyCount: Int, valueCount: Int, worker: Int, of workers: Int, seed: UInt64, zipfian: Zipfian?
    ) {
        self.mix = mix
        self.keyCount = keyCount
        self.valueCount = valueCount
        self.worker = worker
        self.workers = workers
        scrambled = ScrambledZipfian(below: keyCount)
        latest = zipfian
        random = SplitMix64(seed: seed)
    }

    @inline(__always)
    mutating func next() -> YCSBOperation {
        let shares = mix.shares
        var choice = Int(random.next() % 100)
        if choice < shares.reads { return .read(readNumber()) }
        choice -= shares.reads
        if choice < shares.updates { return .update(scrambled.next(&random), value: nextValue()) }
        choice -= shares.updates
        if choice < shares.inserts { return insertion() }
        choice -= shares.inserts
        if choice < shares.scans {
            return .scan(scrambled.next(&random), length: 1 + Int(random.next() % 100))
        }
        return .change(scrambled.next(&random), value: nextValue())
    }

    private mutating func nextValue() -> Int { Int(random.next() % UInt64(valueCount)) }

    private mutating func readNumber() -> Int {
        guard let latest else { return scrambled.next(&random) }
        let rank = latest.next(&random)
        if rank < inserted { return keyCount + (inserted - 1 - rank) * workers + worker }
        return keyCount - 1 - (rank - inserted)
    }

    private mutating func insertion() -> YCSBOperation {
        let number = keyCount + inserted * workers + worker
        inserted += 1
        latest?.grow()
        return .insert(number, value: nextValue())
    }
}
