import Heartwood
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

/// Concurrent tasks. The expectations hold for any timing. CI also runs this under ThreadSanitizer.
@Suite struct ConcurrencyTests {
    let directory = TemporaryDirectory()

    private var configuration: Store.Configuration {
        Store.Configuration(in: POSIXFileSystem(), segmentBytes: 128 << 10, commitBufferBytes: 64 << 10)
    }

    /// Tasks write, threads write by the blocking calls, and tasks read.
    @Test func writersOfAllDurabilitiesAndReaders() async throws {
        let store = try await Store.open(at: directory.path("s"), configuration: configuration)
        let levels: [Durability] = [.synced, .written, .buffered]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<9 {
                group.addTask {
                    for number in 1...60 {
                        let key = "w\(writer)"
                        let sequence = try await store.put(key, "\(number)", durability: levels[writer % 3])
                        // After the return, the writer and all others see this write or a later one.
                        let entry = try store.entry(key)
                        #expect(entry?.sequence == sequence)
                        #expect(entry?.value == [UInt8]("\(number)".utf8))
                    }
                }
            }
            for writer in 9..<12 {
                group.addTask {
                    try await BlockingPool.run { () throws(StoreError) in
                        for number in 1...60 {
                            let durability = levels[writer % 3]
                            let sequence = try store.blocking.put("w\(writer)", "\(number)", durability: durability)
                            #expect(try store.entry("w\(writer)")?.sequence == sequence)
                        }
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    var last: [String: Int] = [:]
                    for _ in 0..<200 {
                        for writer in 0..<12 {
                            let key = "w\(writer)"
                            guard let value = try store.get(key) else { continue }
                            let number = Int(String(decoding: value, as: UTF8.self))!
                            #expect(number >= last[key, default: 0], "a reader never goes back")
                            last[key] = number
                        }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.statistics.lastSequence == 720)
        try await store.close()
        let again = try await Store.open(at: directory.path("s"), configuration: configuration)
        for writer in 0..<12 { #expect(try again.get("w\(writer)") == [UInt8]("60".utf8)) }
        try await again.close()
    }

    @Test func countersLoseNothing() async throws {
        let store = try await Store.open(at: directory.path("s"), configuration: configuration)
        try await concurrently(0..<8) { task in
            for _ in 0..<25 {
                try await store.transaction(durability: task % 2 == 0 ? .synced : .buffered) { tx in
                    let value = try tx.get("n").map { Int(String(decoding: $0, as: UTF8.self))! } ?? 0
                    try tx.put("n", "\(value + 1)")
                }
            }
        }
        #expect(try store.get("n") == [UInt8]("200".utf8))
        try await store.close()
    }

    @Test func viewsAndScansAreConsistentUnderWriters() async throws {
        let store = try await Store.open(at: directory.path("s"), configuration: configuration)
        // Every batch sets all keys to one value, so all values that a reader sees are equal.
        try await store.write { batch in for key in 0..<40 { batch.put("k\(key)", "0") } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    for number in 0..<40 {
                        try await store.write(durability: writer == 0 ? .written : .buffered) { batch in
                            for key in 0..<40 { batch.put("k\(key)", "\(writer)-\(number)") }
                        }
                    }
                }
            }
            for reader in 0..<3 {
                group.addTask {
                    for _ in 0..<30 {
                        var values: Set<[UInt8]> = []
                        var count = 0
                        if reader == 0 {
                            for try await entry in store.scan(.prefix("k")) {
                                let value = entry.value
                                values.insert(value)
                                count += 1
                            }
                        } else {
                            let view = try store.readView()
                            for key in try view.scan(reversed: reader == 2).keys {
                                values.insert(try #require(try view.get(key)))
                                count += 1
                            }
                        }
                        #expect(values.count == 1 && count == 40)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.statistics.pinnedStates == 0)
        try await store.close()
    }

    @Test func closingWhileOthersWriteAndRead() async throws {
        for round in 0..<5 {
            let path = directory.path("s\(round)")
            let store = try await Store.open(at: path, configuration: configuration)
            let acknowledged = Locked<[String]>([])
            try await store.put("first", "1")
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for number in 0... {
                            do {
                                try await store.put(
                                    "k\(writer)-\(number)", "v", durability: writer % 2 == 0 ? .synced : .buffered)
                                acknowledged.withLock { $0.append("k\(writer)-\(number)") }
                                _ = try store.get("first")
                            } catch {
                                #expect((error as? StoreError)?.code == .closed, "\(error)")
                                return
                            }
                        }
                    }
                }
                group.addTask {
                    while acknowledged.withLock({ $0.count }) < 40 { await Task.yield() }
                    async let one: Void? = try? store.close()
                    async let two: Void? = try? store.close()
                    _ = await (one, two)
                }
            }
            let again = try await Store.open(at: path, configuration: configuration)
            #expect(again.recoveryReport.tail == .closed)
            for key in acknowledged.withLock({ $0 }) { #expect(try again.contains(key), "\(key)") }
            try await again.close()
        }
    }

    @Test func largeWritesAreNotStarvedBySmallOnes() async throws {
        let store = try await Store.open(at: directory.path("s"), configuration: configuration)
        let isDone = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    while !isDone.withLock({ $0 }) {
                        try await store.put(
                            "small\(writer)", [UInt8](repeating: 1, count: 4_000), durability: .buffered)
                    }
                }
            }
            group.addTask {
                for number in 0..<5 {
                    // Larger than buffer and segment.
                    try await store.put("large\(number)", [UInt8](repeating: 2, count: 300_000))
                }
                isDone.withLock { $0 = true }
            }
            try await group.waitForAll()
        }
        for number in 0..<5 { #expect(try store.get("large\(number)")?.count == 300_000) }
        try await store.close()
        try await Store.open(at: directory.path("s"), configuration: configuration).close()
    }

    @Test func aStoreReleasedWithoutClosingKeepsAcknowledgedWrites() async throws {
        let path = directory.path("s")
        for round in 0..<6 {
            let store = try await Store.open(at: path, configuration: configuration)
            for earlier in 0..<round { #expect(try store.get("r\(earlier)-29") != nil) }
            try await concurrently(0..<30) { number in
                try await store.put("r\(round)-\(number)", "v", durability: .written)
            }
            if round > 0 { #expect(store.recoveryReport.tail == .unclosed) }
        }
    }
}
