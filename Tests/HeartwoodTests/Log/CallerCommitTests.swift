import Foundation
import Heartwood
import HeartwoodFileSystem
import Testing

/// `.written` puts that their callers write to the kernel themselves.
@Suite struct CallerCommitTests {
    let disk = FaultyFileSystem(InMemoryFileSystem())

    private func open(_ configure: (inout Store.Configuration) -> Void = { _ in }) throws -> Store {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        configure(&configuration)
        return try Store(openingAt: "/data/store", configuration: configuration)
    }

    @Test func aPutIsWrittenByItsCaller() async throws {
        let store = try open { $0.timing.sync = .max / 2 }
        // The first one needs a segment, which is the log writer's.
        try await store.put("first", "1", durability: .written)
        store.settle()
        let byOthers = Locked(0)
        let isPutting = Locked<UInt?>(nil)
        disk.fail { call in
            if call.operation == .write, isPutting.withLock({ $0 }) != currentThreadNumber() {
                byOthers.withLock { $0 += 1 }
            }
            return nil
        }
        for number in 0..<100 {
            // A task may go on in another thread after each of its waits.
            isPutting.withLock { $0 = currentThreadNumber() }
            let sequence = try await store.put("k", "\(number)", durability: .written)
            #expect(try store.entry("k")?.sequence == sequence)
        }
        #expect(disk.calls.count { $0.operation == .write } == 100, "each is a commit of its own")
        // While the log writer lays room, a put is its own too.
        let allocations = disk.calls.count { $0.operation == .allocate }
        #expect(byOthers.withLock { $0 } <= allocations && allocations < 5)
        byOthers.withLock { $0 = 0 }
        #expect(store.statistics.commits == 101)
        // What waits for the disk is the log writer's.
        isPutting.withLock { $0 = currentThreadNumber() }
        try await store.put("k", "synced")
        #expect(byOthers.withLock { $0 } > 0)
        try await store.close()
    }

    /// Beyond three times the smallest log that is compacted they all went through the log writer, a twentieth as fast.
    @Test func aLogOfAnyLengthIsWrittenByCallers() async throws {
        let store = try open {
            $0.compaction = .manual
            $0.compaction.minimumLogBytes = 4 << 10
            $0.timing.sync = .max / 2
        }
        let value = [UInt8](repeating: 7, count: 1_000)
        for number in 0..<100 { try await store.put("k\(number)", value, durability: .written) }
        store.settle()
        disk.heal()
        let byOthers = Locked(0)
        let isPutting = Locked<UInt?>(nil)
        disk.fail { call in
            if call.operation == .write, isPutting.withLock({ $0 }) != currentThreadNumber() {
                byOthers.withLock { $0 += 1 }
            }
            return nil
        }
        for number in 0..<100 {
            isPutting.withLock { $0 = currentThreadNumber() }
            try await store.put("k\(number)", value, durability: .written)
        }
        #expect(disk.calls.count { $0.operation == .write } == 100)
        #expect(byOthers.withLock { $0 } <= disk.calls.count { $0.operation == .allocate })
        try await store.close()
    }

    @Test func batchesAndRemovalsAreWrittenTheSameWay() async throws {
        let store = try open()
        try await store.put("a", "1", durability: .written)
        try await store.write(durability: .written) { batch in
            batch.put("b", "2")
            batch.put("c", "3")
        }
        try await store.remove("a", durability: .written)
        try await store.transaction(durability: .written) { transaction in try transaction.put("d", "4") }
        #expect(try store.get("a") == nil)
        #expect(try ["b", "c", "d"].map { try store.get($0) } == [[0x32], [0x33], [0x34]])
        try await store.close()
        let again = try open()
        #expect(again.recoveryReport.tail == .closed)
        #expect(try ["a", "b", "c", "d"].map { try again.get($0) } == [nil, [0x32], [0x33], [0x34]])
        try await again.close()
    }

    /// What was buffered before goes to the kernel with it: what survives is a prefix.
    @Test func whatWasBufferedBeforeIsWrittenToo() async throws {
        let store = try open { $0.timing.write = .max / 2 }
        try await store.put("first", "1", durability: .written)
        try await store.put("buffered", "1", durability: .buffered)
        let before = store.statistics.commits
        try await store.put("written", "1", durability: .written)
        #expect(store.statistics.commits == before + 1)
        #expect(store.statistics.batches == 3)
        try await store.close()
    }

    /// A reader that comes while the commit is being written finds its records in memory, by whomever it is written.
    @Test(arguments: [Durability.written, .synced])
    func whatIsOnItsWayToTheFileIsReadFromMemory(_ durability: Durability) async throws {
        let store = try open { $0.timing.write = .max / 2 }
        try await store.put("first", "1", durability: durability)
        try await store.put("k", "seen at once", durability: .buffered)
        let found = Locked<[[UInt8]?]>([])
        disk.beforeEach { operation in
            if operation == .write { found.withLock { $0.append(try? store.get("k")) } }
        }
        try await store.put("last", "1", durability: durability)
        disk.heal()
        let all = found.withLock { $0 }
        #expect(!all.isEmpty && all.allSatisfy { $0 == [UInt8]("seen at once".utf8) })
        try await store.close()
    }

    @Test func afterAFailedWriteNothingMoreIsAcknowledged() async throws {
        let store = try open()
        try await store.put("safe", "1", durability: .written)
        store.settle()
        disk.fail { $0.operation == .write ? EIO : nil }
        await expectError(.outcomeUnknown) { try await store.put("lost", "1", durability: .written) }
        #expect(store.state == .failed)
        disk.heal()
        await expectError(.failed) { try await store.put("later", "1", durability: .written) }
        await expectError(.failed) { try await store.put("later", "1") }
        #expect(try store.get("safe") == [0x31])
        #expect(try store.get("lost") == nil, "what isn't in the kernel isn't seen")
        #expect(disk.calls.allSatisfy { $0.operation == .read }, "nothing is tried again")
        await expectError(.failed) { try await store.close() }
    }

    /// Segments turn, room is laid and syncs are made by the log writer in the midst of it.
    @Test func theLogWriterGoesOnBeside() async throws {
        let store = try open {
            $0.segmentBytes = 64 << 10
            $0.commitBufferBytes = 64 << 10
            $0.timing.sync = 100_000
            $0.timing.mark = 50_000
        }
        for number in 0..<4_000 {
            try await store.put("k\(number % 100)", "value \(number)", durability: .written)
        }
        #expect(store.statistics.rotations > 3)
        #expect(store.statistics.lastSequence == 4_000)
        try await store.close()
        let again = try open()
        for number in 3_900..<4_000 { #expect(try again.get("k\(number % 100)") == [UInt8]("value \(number)".utf8)) }
        #expect(again.recoveryReport.records == 4_000)
        try await again.close()
    }
}
