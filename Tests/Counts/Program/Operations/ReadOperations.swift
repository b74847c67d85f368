internal import Heartwood
internal import HeartwoodFileSystem

/// Reads of a store on the real file system that was closed and opened again, so that all records are in files.
enum ReadOperations {
    static var all: [Operation] {
        [
            Operation(name: "get-pread", summary: "a value by pread, returned as an array", times: 2_000) {
                try await get(.positioned, $0)
            },
            Operation(name: "get-mapped", summary: "a value of a mapped file, returned as an array", times: 2_000) {
                try await get(.mapped, $0)
            },
            Operation(name: "lend-pread", summary: "a value by pread, lent", times: 2_000) {
                try await lend(.positioned, $0)
            },
            Operation(name: "lend-mapped", summary: "a value of a mapped file, lent", times: 2_000) {
                try await lend(.mapped, $0)
            },
            Operation(
                name: "fetch", summary: "a value in the page cache, read by an asynchronous call", times: 2_000,
                prepare: fetch),
            Operation(name: "get-missing", summary: "a get of a key that isn't there", times: 4_000, prepare: missing),
            Operation(
                name: "scan-keys", summary: "a key of a scan of keys only, lent", times: 10_000, prepare: scanKeys),
            Operation(
                name: "scan-records", summary: "a record of a scan of keys and values, by pread, lent", times: 2_000,
                prepare: scanRecords),
        ]
    }

    private static func store(
        _ preparation: Preparation, _ keys: [[UInt8]], _ reading: ValueReading = .positioned
    ) async throws -> Store {
        let files = POSIXFileSystem()
        try await SteadyStore.make(files, at: preparation.directory, keys)
        return try SteadyStore.reopen(files, at: preparation.directory, reading)
    }

    private static func get(_ reading: ValueReading, _ preparation: Preparation) async throws -> Operation.Work {
        let keys = CountedData.keys()
        let store = try await store(preparation, keys, reading)
        let walk = Walk(keys.count)
        return { times in
            var bytes = 0
            try walk.next(times) { bytes += try store.get(keys[$0])?.count ?? 0 }
            try WrongOutcome.unless(bytes, is: times * CountedData.valueBytes, "bytes of values")
        }
    }

    private static func fetch(_ preparation: Preparation) async throws -> Operation.Work {
        let keys = CountedData.keys()
        let store = try await store(preparation, keys)
        let walk = Walk(keys.count)
        // Other threads aren't counted, so no fetch may go to one.
        let files = POSIXFileSystem()
        let log = try files.contents(ofDirectory: preparation.directory).first { $0.hasSuffix(".log") } ?? ""
        let file = try files.openFile(preparation.directory + "/" + log, for: .read)
        let isCached = try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { buffer in
            try file.readNow(into: buffer, at: 0)
        }
        guard isCached != nil else { throw LeftOut(reason: "the file system can't tell whether a read waits") }
        return { times in
            var bytes = 0
            for _ in 0..<times { bytes += try await store.fetch(keys[walk.next()])?.count ?? 0 }
            try WrongOutcome.unless(bytes, is: times * CountedData.valueBytes, "bytes of values")
        }
    }

    private static func lend(_ reading: ValueReading, _ preparation: Preparation) async throws -> Operation.Work {
        let keys = CountedData.keys()
        let store = try await store(preparation, keys, reading)
        let walk = Walk(keys.count)
        return { times in
            var bytes = 0
            try walk.next(times) { bytes += try store.withEntry(keys[$0]) { value, _, _ in value.byteCount } ?? 0 }
            try WrongOutcome.unless(bytes, is: times * CountedData.valueBytes, "bytes of values")
        }
    }

    private static func missing(_ preparation: Preparation) async throws -> Operation.Work {
        let keys = CountedData.otherKeys(2 * preparation.times)
        let store = try await store(preparation, CountedData.keys())
        let walk = Walk(keys.count)
        return { times in
            var found = 0
            try walk.next(times) { if try store.get(keys[$0]) != nil { found += 1 } }
            try WrongOutcome.unless(found, is: 0, "values of keys that aren't there")
        }
    }

    private static func scanKeys(_ preparation: Preparation) async throws -> Operation.Work {
        let store = try await store(preparation, CountedData.keys())
        return { times in
            var (left, bytes) = (times, 0)
            try store.scan().forEachKey { key in
                bytes += key.byteCount
                left -= 1
                return left == 0 ? .stop : .next
            }
            try WrongOutcome.unless(bytes, is: times * CountedData.keyBytes, "bytes of keys")
        }
    }

    private static func scanRecords(_ preparation: Preparation) async throws -> Operation.Work {
        let store = try await store(preparation, CountedData.keys())
        return { times in
            var (left, bytes) = (times, 0)
            try store.scan().forEach { key, value in
                bytes += key.byteCount + value.byteCount
                left -= 1
                return left == 0 ? .stop : .next
            }
            try WrongOutcome.unless(
                bytes, is: times * (CountedData.keyBytes + CountedData.valueBytes), "bytes of records")
        }
    }
}
