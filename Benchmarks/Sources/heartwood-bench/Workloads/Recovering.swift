/// `recovery-log`, `recovery-default`, `open-compacted`: opens a store and gets one key. Only that is timed. Afterwards
/// all records are compared with what was put.
struct Recovering: Sendable {
    /// How often each key was put.
    var rounds: Int

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let keys = cell.data.keys()
        var key = keys.makeBuffer()
        keys.write(cell.data.keyCount / 2, to: &key)
        var measured = Measured()
        let before = ProcessUse.now
        let start = Ticks.now
        let database = try await engine.open(at: cell.store, for: EngineUse())
        let session = try database.session()
        // An engine may defer work until the first read.
        guard try session.get(key, { _ in }) else { throw WrongResult("a key is missing") }
        measured.seconds = Ticks.seconds(from: start, to: Ticks.now)
        let count = cell.data.keyCount * rounds
        measured.operations = count
        measured.bytes = UInt64(count * cell.data.pairBytes)
        measured.note(ProcessUse.now, since: before)
        measured.figures[.recordsPerSecond] = Double(count) / measured.seconds
        measured.figures[.megabytesPerSecond] = Double(measured.bytes) / 1e6 / measured.seconds
        var expected = ExpectedContents(cell.data, isFilled: true)
        if rounds > 1 {
            let values = cell.data.values.count
            for number in 0..<cell.data.keyCount {
                expected.put(number, FixtureMaker.value(number, round: rounds - 1, of: values))
            }
        }
        try expected.check { visit in try session.scan(from: nil, visit) }
        session.end()
        try await database.close()
        return measured
    }
}
