internal import Heartwood
internal import HeartwoodFileSystem
internal import Synchronization

/// Writes to a store while the log writer sleeps: the work of the caller's thread. `.buffered` in memory, up to the
/// index; `.written` on a real file system, up to the store to the mapping.
enum WriteOperations {
    static var all: [Operation] {
        [
            Operation(name: "put", summary: "a new key, in a single put, .buffered", times: 4_000, prepare: put),
            Operation(
                name: "put-observed", summary: "the same with an observer, and the statistics read every 1,000 puts",
                times: 4_000, prepare: putObserved),
            Operation(name: "overwrite", summary: "the same for an existing key", times: 4_000, prepare: overwrite),
            Operation(
                name: "overwrite-written", summary: "the same, .written: stored to a mapping of a real file",
                times: 2_000, prepare: overwriteWritten),
            Operation(
                name: "batch", summary: "a new key in a batch of 1,000: made, appended, indexed", times: 4_000,
                prepare: batch),
            Operation(name: "remove", summary: "a key, in a single remove, .buffered", times: 4_000, prepare: remove),
        ]
    }

    private static func store(_ observer: (@Sendable (StoreEvent) -> Void)? = nil) async throws -> Store {
        try await SteadyStore.open(InMemoryFileSystem(), at: "/store", CountedData.keys(), observer: observer)
    }

    private static func put(_ preparation: Preparation) async throws -> Operation.Work {
        try await put(CountedData.otherKeys(preparation.total), addsKeys: true, try await store())
    }

    private static func putObserved(_ preparation: Preparation) async throws -> Operation.Work {
        let batches = Atomic<UInt64>(0)
        let store = try await store { event in
            if case .synced(_, let count, _) = event { batches.add(count, ordering: .relaxed) }
        }
        let put = try await put(CountedData.otherKeys(preparation.total), addsKeys: true, store)
        return { times in
            var left = times
            while left > 0 {
                try await put(min(left, 1_000))
                left -= min(left, 1_000)
                try WrongOutcome.unless(store.statistics.state == .ready ? 1 : 0, is: 1, "a store that is ready")
            }
        }
    }

    private static func overwrite(_ preparation: Preparation) async throws -> Operation.Work {
        try await put(CountedData.keys(), addsKeys: false, try await store())
    }

    private static func put(
        _ keys: [[UInt8]], addsKeys: Bool, _ store: Store
    ) async throws -> Operation.Work {
        let values = CountedData.values
        let walk = Walk(keys.count)
        var wanted = store.statistics.keys
        return { times in
            for _ in 0..<times {
                let position = walk.next()
                try await store.put(keys[position], values[position & 63], durability: .buffered)
            }
            if addsKeys { wanted += times }
            try WrongOutcome.unless(store.statistics.keys, is: wanted, "keys of the store")
        }
    }

    /// Stays within the populated part of the mapping, because a caller would wait for the log writer otherwise. That
    /// part grows with use: after 3 MB of writes, more than 2 MB are left before the log writer is woken again.
    private static func overwriteWritten(_ preparation: Preparation) async throws -> Operation.Work {
        let keys = CountedData.keys()
        let store = try await SteadyStore.open(POSIXFileSystem(), at: preparation.directory, keys)
        let values = CountedData.values
        let walk = Walk(keys.count)
        for _ in 0..<100 {
            try await store.put("grows", [UInt8](repeating: 1, count: 30_000), durability: .written)
            store.settle()
        }
        guard store.statistics.logWriting == .mapped else {
            try await store.close()
            throw LeftOut(reason: "the file system of \(preparation.directory) can't be written through a mapping")
        }
        var commits = store.statistics.commits
        return { times in
            for _ in 0..<times {
                let position = walk.next()
                try await store.put(keys[position], values[position & 63], durability: .written)
            }
            commits += UInt64(times)
            try WrongOutcome.unless(store.statistics.commits, is: commits, "commits")
        }
    }

    private static func batch(_ preparation: Preparation) async throws -> Operation.Work {
        let store = try await store()
        let keys = CountedData.otherKeys(preparation.total)
        let values = CountedData.values
        let walk = Walk(keys.count)
        var wanted = store.statistics.keys
        return { times in
            var left = times
            while left > 0 {
                var batch = store.makeBatch()
                walk.next(min(left, 1_000)) { position in batch.put(keys[position], values[position & 63]) }
                left -= batch.count
                try await store.write(batch, durability: .buffered)
            }
            wanted += times
            try WrongOutcome.unless(store.statistics.keys, is: wanted, "keys of the store")
        }
    }

    private static func remove(_ preparation: Preparation) async throws -> Operation.Work {
        let store = try await store()
        let keys = CountedData.keys()
        let walk = Walk(keys.count)
        var last = store.statistics.lastSequence
        return { times in
            for _ in 0..<times { try await store.remove(keys[walk.next()], durability: .buffered) }
            last += UInt64(times)
            try WrongOutcome.unless(store.statistics.lastSequence, is: last, "the last write's number")
        }
    }
}
