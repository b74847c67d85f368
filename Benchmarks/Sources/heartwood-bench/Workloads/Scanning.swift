/// One thread that visits all pairs in order, again and again, and adds up all bytes of their values: `readseq`,
/// `readreverse`.
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

/// The loop of everything that scans.
enum ScanLoop {
    /// Scans again and again until the time is over, and holds each whole scan to what was put.
    ///
    /// - Parameters:
    ///   - keysOnly: Whether values are left alone. Of keys one byte is looked at, so that they are really there.
    ///   - scan: Shows every pair to `visit`, in order, until that says false.
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
            var (pairs, sum, isCut): (Int, UInt64, Bool) = (0, 0, false)
            try scan { key, value in
                if keysOnly {
                    sum &+= UInt64(key.unsafeLoad(as: UInt8.self))
                } else {
                    ByteSum.add(value, to: &sum)
                }
                pairs &+= 1
                guard pairs & 0xFFF == 0, Ticks.now >= deadline else { return true }
                isCut = true
                return false
            }
            now = Ticks.now
            measured.operations += pairs
            if isCut { break }
            guard pairs == cell.data.keyCount else {
                throw WrongResult("a scan showed \(pairs) of \(cell.data.keyCount) pairs")
            }
            guard keysOnly || sum == expected else {
                throw WrongResult("the values' bytes add up to \(sum), and \(expected) were put: they are wrong")
            }
        }
        measured.seconds = Ticks.seconds(from: start, to: now)
        measured.bytes = UInt64(measured.operations * (keysOnly ? Dataset.keyBytes : cell.data.pairBytes))
        return measured
    }
}
