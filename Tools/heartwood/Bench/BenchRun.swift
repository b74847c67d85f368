internal import Heartwood
internal import HeartwoodConcurrency

/// Measures the figures of a plan, in order.
struct BenchRun {
    let plan: BenchPlan
    let tally: Tally<BenchStep>

    /// The measurements, in order: all of the plan, or those that were finished when a stop was requested.
    ///
    /// - Parameter parent: The directory in which a new one is made. The new one is removed before this returns or
    ///   throws.
    /// - Throws: ``Failure``, or `StoreError`.
    func measure(in parent: String) async throws -> [Measurement] {
        let directory = try BenchDirectory(in: parent, need: plan.neededBytes)
        do {
            let measurements = try await measure(in: directory)
            try directory.removeAll()
            return measurements
        } catch {
            // This error matters more than one of the removal.
            try? directory.removeAll()
            throw error
        }
    }

    private func measure(in directory: BenchDirectory) async throws -> [Measurement] {
        let figures = BenchFigures(plan: plan, directory: directory)
        var measurements: [Measurement] = []
        for (index, figure) in plan.figures.enumerated() {
            tally.note(BenchStep(plan: plan, figure: figure, index: index))
            do {
                if figure.isDurable { measurements[0].add(try await figures.measure(.raw)) }
                let measurement = try await figures.measure(figure)
                try Interrupt.check()
                measurements.append(measurement)
            } catch is Interrupted {
                break
            } catch let error as WrongResult {
                throw Self.mismatch(figure, error)
            } catch let error as SystemCallFailure {
                throw Failure(.inputOutput, "\(error): check the disk and the kernel's log")
            }
        }
        return measurements
    }

    /// What was read back differs from what was written.
    static func mismatch(_ figure: BenchFigure, _ error: WrongResult) -> Failure {
        Failure(
            .mismatch,
            "\(figure.title): \(error): check the disk's hardware and the kernel's log before you use this disk, and "
                + "report it if they are sound")
    }
}

/// How each figure is measured. The stores have the defaults, but compact nothing, which would be part of the figures.
struct BenchFigures: Sendable {
    let plan: BenchPlan
    let directory: BenchDirectory
    /// The records of the figures that don't wait for the disk.
    private let data: Dataset

    init(plan: BenchPlan, directory: BenchDirectory) {
        self.plan = plan
        self.directory = directory
        data = Dataset(
            seed: BenchPlan.seed, keyCount: plan.options.records, valueBytes: plan.options.valueBytes)
    }

    private var nanoseconds: UInt64 { UInt64(plan.options.seconds * 1e9) }
    private var path: String { directory.path("filled") }

    func measure(_ figure: BenchFigure) async throws -> Measurement {
        switch figure {
        case .raw: try await BlockingPool.run { try RawFloor(directory, plan).measure() }
        case .fillsync(let tasks): try await putDurably(tasks)
        case .fillrandom(let level): try await fill(figure, level.durability, batch: 1)
        case .fillbatch: try await fill(figure, .buffered, batch: BenchPlan.batchRecords)
        case .readrandom, .readseq: try await read(figure)
        case .recovery: try await recover()
        }
    }

    private func configuration(_ figure: BenchFigure? = nil) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        configuration.valueReading = figure == .readrandom(.mapped) ? .mapped : .positioned
        return configuration
    }

    /// Opens a store and compares every record.
    ///
    /// - Throws: `WrongResult`, `StoreError`, `Interrupted`.
    func check(_ path: String, _ expected: ExpectedContents) async throws {
        try Interrupt.check()
        try await Store.withStore(at: path, configuration: configuration()) { store in
            try await BlockingPool.run {
                try expected.check(HeartwoodSession(store: store, durability: .buffered))
                // No key occurs twice in a scan. So if this count is right too, the index has no others.
                guard store.statistics.keys == expected.count else {
                    throw WrongResult("\(expected.count) keys were read, and the store counts \(store.statistics.keys)")
                }
            }
        }
    }

    /// Puts that are on the disk when they return. Each task puts one after another, each to its own keys.
    private func putDurably(_ tasks: Int) async throws -> Measurement {
        let path = directory.path("fillsync")
        let data = Dataset(
            seed: BenchPlan.seed, keyCount: BenchPlan.durableKeys, valueBytes: plan.options.valueBytes)
        let walks = (0..<tasks).map { task in
            KeyWalk(
                .sequential, KeyWalk.range(of: task, of: tasks, in: data.keyCount), valueCount: data.values.count)
        }
        let start = Ticks.now
        let watch = Stopwatch(deadline: start + nanoseconds, limit: plan.durablePuts(tasks: tasks), interval: 1)
        let (watches, end) = try await Store.withStore(at: path, configuration: configuration()) { store in
            let session = HeartwoodSession(store: store, durability: .synced)
            return try await withThrowingTaskGroup(of: (Int, Stopwatch).self) { group in
                for (task, walk) in walks.enumerated() {
                    group.addTask { (task, try await Loops.put(session, walk, data, watch)) }
                }
                let watches = try await group.reduce(into: [Int: Stopwatch]()) { $0[$1.0] = $1.1 }
                return (watches, Ticks.now)
            }
        }
        var expected = ExpectedContents(data, isFilled: false)
        var latencies = LatencyHistogram()
        for (task, watch) in watches {
            expected.apply(walks[task], times: watch.count)
            latencies.add(watch.latencies)
        }
        try await check(path, expected)
        try directory.remove("fillsync")
        return Measurement(.fillsync(tasks: tasks), latencies.count, nanoseconds: end - start, latencies: latencies)
    }

    /// One task writes every record once, in random order, to an empty store, again and again until the time is over.
    /// The store of the last round stays, for the figures that read it. Making, closing and checking stores isn't
    /// timed, but counts as time that the figure takes.
    private func fill(_ figure: BenchFigure, _ durability: Durability, batch: Int) async throws -> Measurement {
        let deadline = Ticks.now + nanoseconds
        let walk = KeyWalk(.sequential, 0..<data.keyCount, valueCount: data.values.count)
        var measurement = Measurement(figure, 0, nanoseconds: 0)
        repeat {
            try directory.remove("filled")
            measurement.add(
                try await Store.withStore(at: path, configuration: configuration()) { store in
                    let session = HeartwoodSession(store: store, durability: durability)
                    let start = Ticks.now
                    let batches = Stopwatch(deadline: .max, limit: data.keyCount / batch, interval: batch == 1 ? 16 : 1)
                    if batch == 1 {
                        _ = try await Loops.put(session, walk, data, batches)
                    } else {
                        let written = try await Loops.write(batch, session, walk, data, batches).count * batch
                        var rest = walk
                        for _ in 0..<written { rest.advance() }
                        let once = Stopwatch(deadline: .max, limit: 1, interval: 1)
                        let left = data.keyCount - written
                        if left > 0 { _ = try await Loops.write(left, session, rest, data, once) }
                    }
                    return Measurement(figure, data.keyCount, nanoseconds: Ticks.now - start)
                })
            try await check(path, ExpectedContents(data, isFilled: true))
        } while Ticks.now < deadline
        return measurement
    }

    /// One thread reads the store that was filled last. The data was just written, so it is in the system's memory:
    /// this doesn't measure the disk.
    private func read(_ figure: BenchFigure) async throws -> Measurement {
        try await Store.withStore(at: path, configuration: configuration(figure)) { store in
            let session = HeartwoodSession(store: store, durability: .buffered)
            // On a thread that may block.
            return try await BlockingPool.run {
                let start = Ticks.now
                let deadline = start + nanoseconds
                if figure == .readseq {
                    let (pairs, end) = try Loops.scan(data, until: deadline) { try session.scan(from: nil, $0) }
                    return Measurement(figure, pairs, nanoseconds: end - start)
                }
                let watch = Stopwatch(deadline: deadline, interval: 64)
                let outcome = try Loops.get(session, data, seed: BenchPlan.seed, watch)
                try Loops.check(outcome, data, seed: BenchPlan.seed)
                return Measurement(figure, outcome.watch.count, nanoseconds: outcome.watch.end - start)
            }
        }
    }

    /// Openings of the store that was filled last. Each reads the log and builds the index. The store is closed in
    /// order before and after each opening.
    private func recover() async throws -> Measurement {
        let deadline = Ticks.now + nanoseconds
        var measurement = Measurement(.recovery, 0, nanoseconds: 0)
        repeat {
            try Interrupt.check()
            let start = Ticks.now
            let store = try await Store.open(at: path, configuration: configuration())
            measurement.add(Measurement(.recovery, data.keyCount, nanoseconds: Ticks.now - start))
            let (records, keys) = (store.recoveryReport.records, store.statistics.keys)
            try await store.close()
            guard records == UInt64(data.keyCount), keys == data.keyCount else {
                throw WrongResult("of \(data.keyCount) records \(records) came back, with \(keys) keys")
            }
        } while Ticks.now < deadline
        try await check(path, ExpectedContents(data, isFilled: true))
        return measurement
    }
}

/// What the disk can do for one writer that waits for it: 128 bytes at a time, one after another, into an existing file
/// of zeros, each followed by a sync of the data only. No durable write of one writer can be faster.
struct RawFloor {
    static let recordBytes = 128
    private static let positions = BenchPlan.rawFileBytes / recordBytes

    private let directory: BenchDirectory
    private let nanoseconds: UInt64
    private var path: String { directory.path("raw") }
    /// Records. Their count is prime, so that a position gets another record in each round.
    private let records = Dataset(seed: BenchPlan.seed, keyCount: 1, valueBytes: recordBytes).values

    init(_ directory: BenchDirectory, _ plan: BenchPlan) {
        self.directory = directory
        nanoseconds = UInt64(plan.options.seconds * 1e9) / UInt64(plan.rawPieces)
    }

    /// Blocks its thread.
    func measure() throws -> Measurement {
        let measurement = try append()
        try Interrupt.check()
        try check(measurement.operations)
        try directory.remove("raw")
        return measurement
    }

    /// Appends for the time of a piece. The file stays.
    func append() throws -> Measurement {
        let file = try RawFile(zeros: BenchPlan.rawFileBytes, at: path)
        let start = Ticks.now
        var watch = Stopwatch(deadline: start + nanoseconds, interval: 1)
        var number = 0
        while watch.next() {
            // After the end it continues at the start: overwriting costs the same.
            let offset = number % Self.positions * Self.recordBytes
            try records[number % records.count].withUnsafeBytes { try file.write($0[...], at: offset) }
            try file.sync()
            number += 1
        }
        return Measurement(.raw, watch.count, nanoseconds: watch.end - start, latencies: watch.latencies)
    }

    /// Reads the file back, from the disk if the system allows it.
    func check(_ count: Int) throws {
        let file = try RawFile(reading: path)
        file.forgetCache()
        var found = [UInt8](repeating: 0, count: Self.recordBytes)
        for position in 0..<min(count, Self.positions) {
            // The last append to this position.
            let number = count - 1 - (count - 1 - position) % Self.positions
            try found.withUnsafeMutableBytes { try file.read(into: $0, at: position * Self.recordBytes) }
            guard found == records[number % records.count] else {
                throw WrongResult("append number \(number) is not what was written")
            }
        }
    }
}
