/// The loop of every workload that scans, of every engine.
enum ScanLoop {
    /// Scans again and again until the time is over, and holds each whole scan to what was put.
    ///
    /// - Parameters:
    ///   - keysOnly: Whether values are left alone. Of keys one byte is looked at, so that they are really there.
    ///   - scan: Shows every entry to `visit`, in order, until that says stop.
    @inline(__always)
    static func run(
        _ run: Run, keysOnly: Bool, _ scan: (_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws -> Void
    ) throws -> Sample {
        let expected = run.data.sumOfAll
        var count = 0
        let start = Ticks.now
        var now = start
        while !run.isOver(now, deadline: start + run.nanoseconds) {
            var (entries, sum, isCut): (Int, UInt64, Bool) = (0, 0, false)
            try scan { key, value in
                if keysOnly {
                    sum &+= UInt64(key.unsafeLoad(as: UInt8.self))
                } else {
                    ByteSum.add(value, to: &sum)
                }
                entries &+= 1
                guard entries & 0x3FFF == 0, run.isOver(Ticks.now, deadline: start + run.nanoseconds) else {
                    return true
                }
                isCut = true
                return false
            }
            now = Ticks.now
            count += entries
            if isCut { break }
            guard entries == run.data.keyCount else {
                throw WrongResult("a scan showed \(entries) of \(run.data.keyCount) entries")
            }
            if !keysOnly { try GetLoop.check(sum, expected) }
        }
        return Sample(operations: count, seconds: Ticks.seconds(from: start, to: now))
    }
}
