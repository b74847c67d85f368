internal import Heartwood

/// Reads that only Heartwood offers.
enum HeartwoodReads {
    /// Keys per call of `get(all:)`.
    private static let keysOfCall = 16

    private static func opened(
        _ cell: Cell, _ body: @escaping @Sendable (Store) throws -> Measured
    ) async throws -> Measured {
        let store = try await Store.open(at: cell.spec.store)
        let measured = try await onThread { try body(store) }
        try await store.close()
        return measured
    }

    /// One thread visits all keys in order, without their values, repeatedly.
    static func scanKeys(_ cell: Cell) async throws -> Measured {
        try await opened(cell) { store in
            try Scanning.run(cell, keysOnly: true) { visit in
                try store.scan().forEachKey { key in visit(key, key) ? .next : .stop }
            }
        }
    }

    /// One thread gets 16 random keys per call.
    static func getTogether(_ cell: Cell) async throws -> Measured {
        try await opened(cell) { store in
            let source = cell.data.keys()
            var random = SplitMix64(seed: cell.seed(0))
            var keys = [[UInt8]](repeating: source.makeBuffer(), count: keysOfCall)
            var (found, sum, expected) = (0, UInt64(0), UInt64(0))
            let start = Ticks.now
            var watch = cell.stopwatch(since: start, interval: 1)
            while watch.next() {
                for index in keys.indices {
                    let number = random.next(below: source.count)
                    expected &+= cell.data.sum(number)
                    source.write(number, to: &keys[index])
                }
                for case let value? in try store.readView().get(all: keys) {
                    ByteSum.add(value, to: &sum)
                    found += 1
                }
            }
            guard found == watch.count * keysOfCall, sum == expected else {
                throw WrongResult("\(found) of \(watch.count * keysOfCall) keys were found, or values are wrong")
            }
            return Measured(
                [watch], since: start, bytesEach: cell.data.pairBytes * keysOfCall, batch: keysOfCall)
        }
    }

    /// One task gets random keys, by `get` or by `fetch`.
    static func getInTask(_ cell: Cell, isAsync: Bool) async throws -> Measured {
        let store = try await Store.open(at: cell.spec.store)
        let start = Ticks.now
        let outcome = try await Task {
            let keys = cell.data.keys()
            var (random, key) = (SplitMix64(seed: cell.seed(0)), keys.makeBuffer())
            var (watch, found, sum) = (cell.stopwatch(since: start), 0, UInt64(0))
            while watch.next() {
                keys.write(random.next(below: keys.count), to: &key)
                if let value = isAsync ? try await store.fetch(key) : try store.get(key) {
                    found += 1
                    ByteSum.add(value, to: &sum)
                }
            }
            return Loops.Outcome(watch: watch, found: found, sum: sum)
        }.value
        try await store.close()
        try Loops.check(outcome, cell.data, seed: cell.seed(0))
        return Measured([outcome.watch], since: start, bytesEach: cell.data.pairBytes)
    }
}
