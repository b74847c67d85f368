internal import Heartwood

/// Reads that only Heartwood offers.
enum HeartwoodReads {
    /// Keys per call of `get(all:)`.
    private static let keysOfCall = 16

    private static func opened(
        _ cell: Cell, _ body: @escaping @Sendable (Store) throws -> Measured
    ) async throws -> Measured {
        let store = try await Store.open(at: cell.store)
        let measured = try await onThread { try body(store) }
        try await store.close()
        return measured
    }

    /// One thread visits all keys in order, without their values, repeatedly.
    static func scanKeys(_ cell: Cell) async throws -> Measured {
        try await opened(cell) { store in
            try ScanLoop.run(cell, keysOnly: true) { visit in
                try store.scan().forEachKey { key in visit(key, key) ? .next : .stop }
            }
        }
    }

    /// One thread gets 16 random keys per call.
    static func getTogether(_ cell: Cell) async throws -> Measured {
        try await opened(cell) { store in
            let source = cell.data.keys()
            var numbers = RandomNumbers(below: source.count, seed: cell.seed(0))
            var keys = [[UInt8]](repeating: source.makeBuffer(), count: keysOfCall)
            var (found, sum, expected) = (0, UInt64(0), UInt64(0))
            let start = Ticks.now
            var watch = Stopwatch(deadline: start + cell.nanoseconds, interval: 1)
            while watch.next() > 0 {
                for index in keys.indices {
                    let number = numbers.next()
                    expected &+= cell.data.sum(number)
                    source.write(number, to: &keys[index])
                }
                for case let value? in try store.readView().get(all: keys) {
                    ByteSum.add(value, to: &sum)
                    found += 1
                }
                watch.lap()
            }
            watch.stop()
            guard found == watch.count * keysOfCall, sum == expected else {
                throw WrongResult("\(found) of \(watch.count * keysOfCall) keys were found, or values are wrong")
            }
            var measured = Measured([watch], since: start, bytesEach: cell.data.pairBytes * keysOfCall)
            measured.operations *= keysOfCall
            return measured
        }
    }

    /// One task gets random keys, by `get` or by `fetch`.
    static func getInTask(_ cell: Cell, isAsync: Bool) async throws -> Measured {
        let store = try await Store.open(at: cell.store)
        let start = Ticks.now
        let outcome = try await Task {
            let keys = cell.data.keys()
            var (numbers, key) = (RandomNumbers(below: keys.count, seed: cell.seed(0)), keys.makeBuffer())
            var outcome = Getting.Outcome(
                watch: Stopwatch(deadline: start + cell.nanoseconds, interval: cell.interval))
            while true {
                let group = outcome.watch.next()
                if group == 0 { break }
                for step in 0..<group {
                    keys.write(numbers.next(), to: &key)
                    if let value = isAsync ? try await store.fetch(key) : try store.get(key) {
                        outcome.found += 1
                        ByteSum.add(value, to: &outcome.sum)
                    }
                    if step == 0 { outcome.watch.lap() }
                }
            }
            outcome.watch.stop()
            return outcome
        }.value
        try await store.close()
        try Getting().check(outcome, cell, 0)
        return Measured([outcome.watch], since: start, bytesEach: cell.data.pairBytes)
    }
}
