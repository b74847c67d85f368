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
                try store.forEachKey { key in visit(key, key) ? .next : .stop }
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
                for case let value? in try store.get(all: keys) {
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
}
