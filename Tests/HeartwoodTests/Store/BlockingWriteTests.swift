import Heartwood
import HeartwoodFileSystem
import Testing

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
        let configuration = Store.Configuration(
            in: POSIXFileSystem(), segmentBytes: 128 << 10, commitBufferBytes: 64 << 10)
        let store = try Store(openingAt: directory.path("s"), configuration: configuration)
        let value = [UInt8](repeating: 0x61, count: 50_000)
        for number in 0..<40 { try store.blocking.put("k\(number)", value, durability: .buffered) }
        #expect(store.statistics.keys == 40)
        try store.blocking.close()
    }
}
