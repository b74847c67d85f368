/// `readseq`, `readreverse`: one thread visits all pairs in order, repeatedly, and adds up all bytes of their values.
struct Scanning: Sendable {
    var isBackwards = false

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let session = try database.session()
        let measured = try await Team.run(1, onThreads: true) { _ in
            try ScanLoop.run(cell) { visit in
                if isBackwards { try session.scanBackwards(visit) } else { try session.scan(from: nil, visit) }
            }
        }
        session.end()
        try await database.close()
        return measured[0]
    }
}

/// The loop of all workloads that scan.
enum ScanLoop {
    /// Scans repeatedly until the time is over, and compares each complete scan with what was put.
    ///
    /// - Parameters:
    ///   - keysOnly: Whether values are not read. One byte of each key is read, so that the key must be in memory.
    ///   - scan: Calls `visit` with every pair, in order, until it returns false.
    @inline(__always)
    static func run(
        _ cell: Cell, keysOnly: Bool = false,
        _ scan: (_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws -> Void
    ) throws -> Measured {
        let expected = cell.data.sumOfAll
        var measured = Measured()
        let start = Ticks.now
        let deadline = start + cell.nanoseconds
        var now = start
        while now < deadline {
            var (pairs, sum, isIncomplete): (Int, UInt64, Bool) = (0, 0, false)
            try scan { key, value in
                if keysOnly {
                    sum &+= UInt64(key.unsafeLoad(as: UInt8.self))
                } else {
                    ByteSum.add(value, to: &sum)
                }
                pairs &+= 1
                guard pairs & 0xFFF == 0, Ticks.now >= deadline else { return true }
                isIncomplete = true
                return false
            }
            now = Ticks.now
            measured.operations += pairs
            if isIncomplete { break }
            guard pairs == cell.data.keyCount else {
                throw WrongResult("a scan visited \(pairs) of \(cell.data.keyCount) pairs")
            }
            guard keysOnly || sum == expected else {
                throw WrongResult("values are wrong: their bytes add up to \(sum), not to \(expected)")
            }
        }
        measured.seconds = Ticks.seconds(from: start, to: now)
        measured.bytes = UInt64(measured.operations * (keysOnly ? Dataset.keyBytes : cell.data.pairBytes))
        return measured
    }
}
