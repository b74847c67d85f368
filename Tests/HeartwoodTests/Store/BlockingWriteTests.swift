import Foundation
import Heartwood
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

private let smallConfiguration = Store.Configuration(
    in: POSIXFileSystem(), segmentBytes: 128 << 10, commitBufferBytes: 64 << 10)

/// The blocking forms of writing, called from threads.
@Suite struct BlockingWriteTests {
    let directory = TemporaryDirectory()

    @Test func everyFormWritesAndReturnsItsNumber() throws {
        let store = try Store(openingAt: directory.path("s"))
        #expect(try store.blocking.put("a", "1") == 1)
        #expect(try store.blocking.put("b", "2", durability: .written) == 2)
        #expect(try store.blocking.put("c", "3", durability: .buffered) == 3)
        #expect(try store.blocking.sync() == 3)
        #expect(
            try store.blocking.write { batch in
                batch.put("d", "4")
                batch.remove("a")
            } == 4)
        #expect(try store.blocking.remove("b") == 5)
        let committed = try store.blocking.transaction { transaction in
            let value = try transaction.get("c")
            try transaction.put("e", [UInt8]((value ?? []) + [0x21]))
            return value
        }
        #expect(committed.sequence == 6 && committed.value == [0x33])
        #expect(try store.blocking.write { _ in } == 6, "an empty batch returns the newest number")
        try store.blocking.close()
        let again = try Store(openingAt: directory.path("s"))
        #expect(again.recoveryReport.tail == .closed)
        #expect(try again.get("a") == nil)
        #expect(try again.get("e") == [0x33, 0x21])
        try again.blocking.close()
    }

    @Test func conditionsAreChecked() throws {
        let store = try Store(openingAt: directory.path("s"))
        let first = try store.blocking.put("a", "1", if: .absent)
        #expect(throws: StoreError.self) { try store.blocking.put("a", "2", if: .absent) }
        try store.blocking.put("a", "2", if: .sequence(first))
        let conflict = #expect(throws: StoreError.self) { try store.blocking.remove("a", if: .sequence(first)) }
        #expect(conflict?.code == .conflict, "an old sequence number of the key was accepted")
        #expect(try store.get("a") == [0x32])
        try store.blocking.close()
        let closed = #expect(throws: StoreError.self) { try store.blocking.put("a", "3") }
        #expect(closed?.code == .closed, "a closed store accepted a write")
    }

    /// A value that doesn't fit into the free part of the buffer or of the preallocated space makes the thread wait.
    @Test func largeValuesWaitForSpace() throws {
        let store = try Store(openingAt: directory.path("s"), configuration: smallConfiguration)
        let value = [UInt8](repeating: 0x61, count: 50_000)
        for number in 0..<40 { try store.blocking.put("k\(number)", value, durability: .buffered) }
        #expect(store.statistics.keys == 40)
        try store.blocking.close()
    }
}

/// Threads and tasks that write concurrently. CI also runs this under ThreadSanitizer.
@Suite struct BlockingWriteConcurrencyTests {
    let directory = TemporaryDirectory()

    @Test func threadsAndTasksShareAStore() async throws {
        let store = try await Store.open(at: directory.path("s"), configuration: smallConfiguration)
        let levels: [Durability] = [.synced, .written, .buffered]
        let threads = try (0..<6).map { writer in
            try startThread(name: "writer") {
                for number in 1...60 {
                    do {
                        let sequence = try store.blocking.put("t\(writer)", "\(number)", durability: levels[writer % 3])
                        let entry = try store.entry("t\(writer)")
                        #expect(entry?.sequence == sequence)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        try await concurrently(0..<6) { writer in
            for number in 1...60 {
                let sequence = try await store.put("w\(writer)", "\(number)", durability: levels[writer % 3])
                #expect(try store.entry("w\(writer)")?.sequence == sequence)
            }
        }
        await withCheckedContinuation { continuation in
            BlockingPool.start {
                for thread in threads { thread.join() }
                continuation.resume()
            }
        }
        #expect(store.statistics.lastSequence == 720)
        try await store.close()
    }
}
