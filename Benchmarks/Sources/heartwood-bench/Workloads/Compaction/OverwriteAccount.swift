/// What overwriting costs the disk, of every engine: every key of a filled store is overwritten ten times, on average, in
/// random order.
struct OverwriteAccount {
    /// Puts for each key.
    static let rounds = 10

    let run: Run
    /// The directory of the store, which has nothing else in it.
    let path: String

    /// How many puts are to be made.
    var puts: Int { run.data.keyCount * Self.rounds }

    /// - Parameters:
    ///   - recordBytes: What the engine says that the live records take, if it does.
    ///   - put: Makes the puts.
    ///   - compact: Compacts everything.
    func measure(
        recordBytes: () -> UInt64? = { nil }, put: () async throws -> Void, compact: () async throws -> Void
    ) async throws -> Sample {
        let before = ProcessUse.now
        let start = Ticks.now
        let (end, peak) = try await DiskUse.peak(of: path) {
            try await put()
            return Ticks.now
        }
        let after = ProcessUse.now
        var sample = Sample(operations: puts, seconds: Ticks.seconds(from: start, to: end))
        if let before = before.writtenBytes, let after = after.writtenBytes {
            let accepted = Double(run.data.pairBytes) * Double(Self.rounds)
            sample.figures[.writtenAByte] = Double(after - before) / accepted
        }
        let pairs = Double(run.data.pairBytes)
        let records = recordBytes().map { Double($0) }
        sample.figures[.peakOfPairs] = Double(peak) / pairs
        sample.figures[.peakOfRecords] = records.map { Double(peak) / $0 }
        if run.isInterrupted { return sample }
        try await compact()
        let left = Double(try await DiskUse.settledBytes(of: path))
        sample.figures[.compactedOfPairs] = left / pairs
        sample.figures[.compactedOfRecords] = records.map { left / $0 }
        return sample
    }

    /// Calls `put` for each pair.
    @inline(__always)
    func forEachPair(_ put: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) rethrows {
        var pairs = run.data.overwrites(seed: 2)
        for number in 0..<puts {
            if number % Run.checkInterval == 0, run.isInterrupted { return }
            pairs.advance()
            try put(pairs.key, pairs.value)
        }
    }

    /// The same for what waits.
    @inline(__always)
    func forEachPair(_ put: (_ key: [UInt8], _ value: [UInt8]) async throws -> Void) async rethrows {
        var pairs = run.data.overwrites(seed: 2)
        for number in 0..<puts {
            if number % Run.checkInterval == 0, run.isInterrupted { return }
            pairs.advance()
            try await put(pairs.key, pairs.value)
        }
    }
}

/// The two shapes of what is overwritten.
enum OverwrittenData: String, Sendable, CaseIterable {
    /// As many keys as asked for, with the usual values.
    case small = ""
    /// A quarter of the keys, with values of 1 KiB.
    case large = "-1k"

    /// What the workload that puts it is called, before the engine.
    var name: String { "overwrite-amplification\(rawValue)" }
    /// What comes behind in a title.
    var title: String { self == .small ? "" : ", values of 1 KiB" }

    func run(_ run: Run) -> Run {
        switch self {
        case .small: run
        case .large: run.with(Dataset(seed: 43, keyCount: max(1, run.data.keyCount / 4), valueBytes: 1_024))
        }
    }
}
