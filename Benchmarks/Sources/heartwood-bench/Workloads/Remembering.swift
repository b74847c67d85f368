/// `memory`: opens a full store, gets random keys, and measures the memory of the process per key.
struct Remembering: Sendable {
    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let keys = cell.data.keys()
        let before = try Self.memory()
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let session = try database.session()
        let start = Ticks.now
        let outcomes = try await Team.run(1, onThreads: true) { _ in
            var numbers = RandomNumbers(below: keys.count, seed: cell.seed(0))
            var key = keys.makeBuffer()
            var (count, found) = (0, 0)
            // As many gets as keys, to fill the engine's cache.
            while count < keys.count, Ticks.now < start + 4 * cell.nanoseconds {
                keys.write(numbers.next(), to: &key)
                if try session.get(key, { _ in }) { found += 1 }
                count += 1
            }
            return (count, found)
        }
        let end = Ticks.now
        let after = try Self.memory()
        var measured = Measured()
        measured.operations = outcomes[0].0
        measured.seconds = Ticks.seconds(from: start, to: end)
        measured.bytes = UInt64(outcomes[0].0 * cell.data.pairBytes)
        measured.figures[.memoryBytesPerKey] = Self.difference(after.anonymous, before.anonymous) / Double(keys.count)
        measured.figures[.mappedBytesPerKey] = Self.difference(after.mapped, before.mapped) / Double(keys.count)
        measured.figures[.peakMemoryBytes] = ProcessUse.now.peakMemoryBytes.map { Double($0) }
        session.end()
        try await database.close()
        guard outcomes[0].0 == outcomes[0].1 else {
            throw WrongResult("\(outcomes[0].1) of \(outcomes[0].0) keys were found, but all of them exist")
        }
        return measured
    }

    private static func memory() throws -> (anonymous: UInt64, mapped: UInt64) {
        guard let memory = ProcessUse.memory else {
            throw WrongResult("the system doesn't report the memory of a process")
        }
        return memory
    }

    private static func difference(_ after: UInt64, _ before: UInt64) -> Double {
        max(0, Double(after) - Double(before))
    }
}
