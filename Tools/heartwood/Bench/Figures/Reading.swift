internal import Heartwood
internal import HeartwoodConcurrency

/// One thread reads the store that ``Filling`` has left. Each value is lent, and compared with what was written. The
/// data was just written, so it is in the system's memory: this doesn't measure the disk.
struct Reading {
    let context: BenchContext
    let figure: BenchFigure

    func measure() async throws -> Measurement {
        var mode = BenchFigure.Reading.pread
        if case .readrandom(let reading) = figure { mode = reading }
        let path = context.directory.path(Filling.storeName)
        return try await Store.withStore(at: path, configuration: .forBench(mode)) { store in
            // On a thread that may block.
            try await BlockingPool.run {
                let measurement = try figure == .readseq ? scan(store) : get(store)
                try BenchStopped.check()
                return measurement
            }
        }
    }

    private func get(_ store: Store) throws -> Measurement {
        let (values, records) = (context.values, context.options.records)
        var random = SplitMix64(seed: BenchPlan.seed)
        var (count, now): (Int, UInt64)
        let watch = context.stopwatch()
        count = 0
        repeat {
            for _ in 0..<64 {
                let number = random.next(below: records)
                let isRight = try store.withEntry(BenchKey(number)) { value, _, _ in
                    value.withUnsafeBytes { values.isValue($0, of: number) }
                }
                guard isRight == true else { throw Self.mismatch(figure, number, isThere: isRight != nil) }
            }
            count += 64
            now = Ticks.now
        } while !watch.isOver(now)
        return Measurement(figure, count, nanoseconds: now - watch.start)
    }

    /// Scans again and again. The last scan stops when the time is over.
    private func scan(_ store: Store) throws -> Measurement {
        let (values, records) = (context.values, context.options.records)
        let watch = context.stopwatch()
        var (count, now) = (0, watch.start)
        repeat {
            var (seen, isCut) = (0, false)
            try store.scan().forEach { key, value in
                let number = key.withUnsafeBytes { BenchKey.number(of: $0) }
                guard let number, value.withUnsafeBytes({ values.isValue($0, of: number) }) else {
                    throw Self.mismatch(figure, number, isThere: true)
                }
                seen &+= 1
                if seen % 4096 == 0 { isCut = watch.isOver(Ticks.now) }
                return isCut ? .stop : .next
            }
            guard isCut || seen == records else {
                throw Mismatch(figure, "of \(Numbers.count(records, "record")) a scan showed \(Numbers.grouped(seen))")
            }
            count += seen
            now = Ticks.now
        } while !watch.isOver(now)
        return Measurement(figure, count, nanoseconds: now - watch.start)
    }

    private static func mismatch(_ figure: BenchFigure, _ number: Int?, isThere: Bool) -> Mismatch {
        guard let number else { return Mismatch(figure, "there is a key that was never written") }
        return Mismatch(figure, "key number \(number) \(isThere ? "has another value than was written" : "is missing")")
    }
}
