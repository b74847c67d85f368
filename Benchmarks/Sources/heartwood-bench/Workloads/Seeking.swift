/// `seekrandom`: one thread seeks to random keys and reads some pairs from each.
struct Seeking: Sendable {
    /// Pairs read per seek.
    var length = 10

    func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, for: cell.row.use)
        let session = try database.session()
        let start = Ticks.now
        let outcomes = try await Team.run(1, onThreads: true) { worker in
            try Self.seek(
                session, cell.data, RandomNumbers(below: cell.data.keyCount, seed: cell.seed(worker)), length,
                Stopwatch(deadline: start + cell.nanoseconds, interval: cell.interval))
        }
        let (watch, sum) = outcomes[0]
        let measured = Measured([watch], since: start, bytesEach: cell.data.pairBytes * length)
        session.end()
        try await database.close()
        if !(engine is RawEngine) { try check(cell, watch.count, sum) }
        return measured
    }

    @inline(__always)
    private static func seek<S: Session>(
        _ session: S, _ data: Dataset, _ numbers: RandomNumbers, _ length: Int, _ watch: Stopwatch
    ) throws -> (Stopwatch, UInt64) {
        var (numbers, watch, sum) = (numbers, watch, UInt64(0))
        let keys = data.keys()
        var key = keys.makeBuffer()
        while true {
            let group = watch.next()
            if group == 0 { break }
            for step in 0..<group {
                keys.write(numbers.next(), to: &key)
                var remaining = length
                try session.scan(from: key) { _, value in
                    ByteSum.add(value, to: &sum)
                    remaining &-= 1
                    return remaining > 0
                }
                if step == 0 { watch.lap() }
            }
        }
        watch.stop()
        return (watch, sum)
    }

    /// Compares the sum with that of the pairs that follow each key, in the order of the keys.
    private func check(_ cell: Cell, _ count: Int, _ sum: UInt64) throws {
        let data = cell.data
        var order: [Int] = []
        order.reserveCapacity(data.keyCount)
        data.keys().forEachInOrder { order.append($0) }
        var sums = [UInt64](repeating: 0, count: data.keyCount)
        var window: UInt64 = 0
        for position in order.indices.reversed() {
            window &+= data.sum(order[position])
            if position + length < order.count { window &-= data.sum(order[position + length]) }
            sums[order[position]] = window
        }
        var numbers = RandomNumbers(below: data.keyCount, seed: cell.seed(0))
        let expected = (0..<count).reduce(into: UInt64(0)) { sum, _ in sum &+= sums[numbers.next()] }
        guard sum == expected else {
            throw WrongResult("values are wrong: their bytes add up to \(sum), not to \(expected)")
        }
    }
}
