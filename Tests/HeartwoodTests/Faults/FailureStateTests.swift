import Foundation
import Heartwood
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

/// The state of a store after failures of the file system.
@Suite struct FailureStateTests {
    let disk = FaultyFileSystem(InMemoryFileSystem())

    private func open(_ configure: (inout Store.Configuration) -> Void = { _ in }) throws -> Store {
        var configuration = Store.Configuration(in: disk, segmentBytes: 64 << 10, commitBufferBytes: 64 << 10)
        configure(&configuration)
        return try Store(openingAt: "/data/store", configuration: configuration)
    }

    @Test func afterAFailedSyncNothingMoreIsAcknowledged() async throws {
        var store = try open()
        try await store.put("safe", "1")
        disk.fail { $0.operation == .sync ? EIO : nil }
        await expectError(.outcomeUnknown) { try await store.put("lost", "1") }
        #expect(store.state == .failed)
        disk.heal()
        await expectError(.failed) { try await store.put("later", "1") }
        await expectError(.failed) { try await store.put("later", "1", durability: .buffered) }
        await expectError(.failed) { try await store.sync() }
        #expect(try store.get("safe") == [0x31])
        #expect(try store.get("lost") == nil, "what isn't on disk isn't visible")
        #expect(!disk.calls.contains { $0.operation == .sync }, "a failed sync is never repeated")
        await expectError(.failed) { try await store.close() }
        store = try open()
        #expect(try store.get("safe") == [0x31])
        try await store.put("again", "1")
        try await store.close()
    }

    /// Otherwise the next opening after a crash would assign the number of a buffered write again.
    @Test func noNumberIsAssignedBeforeTheFirstSegmentExists() async throws {
        for operation in [FileSystemError.Operation.rename, .syncDirectory] {
            let path = "/data/store"
            try await open().close()
            disk.fail { $0.operation == operation && $0.path.hasPrefix(path) ? EIO : nil }
            let store = try open()
            await expectError(.failed) { try await store.put("a", "1", durability: .buffered) }
            #expect(store.statistics.lastSequence == 0)
            disk.heal()
            try await store.close()
        }
    }

    @Test func aFailedWriteIsReportedAsUnknown() async throws {
        let store = try open()
        try await store.put("safe", "1")
        store.settle()
        disk.fail { $0.operation == .write ? EIO : nil }
        let error = await expectError(.outcomeUnknown) { try await store.put("lost", "1", durability: .written) }
        #expect((error?.cause as? FileSystemError)?.code == EIO)
        disk.heal()
        await expectError(.failed) { try await store.close() }
        let again = try open()
        #expect(try again.get("safe") == [0x31])
        try await again.close()
    }

    @Test func aFullDiskRefusesBeforeNumberingAndRecoversAutomatically() async throws {
        let store = try open()
        let first = try await store.put("first", "1")
        disk.fail { $0.operation == .allocate ? ENOSPC : nil }
        var accepted: [SequenceNumber] = []
        let refused = await firstRefusal { _ in
            accepted.append(try await store.put("fill", [UInt8](repeating: 7, count: 8_000)))
        }
        #expect(refused?.code == .outOfSpace)
        #expect(store.state == .outOfSpace)
        #expect(try store.get("first") == [0x31])
        #expect(accepted == Array((first + 1)..<(first + 1 + UInt64(accepted.count))))
        disk.heal()
        // Without a write, the store checks the disk on its own.
        for _ in 0..<6_000 where store.state != .ready { try await Task.sleep(for: .milliseconds(50)) }
        #expect(store.state == .ready)
        let next = try await store.put("after", "1")
        #expect(next == first + 1 + UInt64(accepted.count), "a refused write has no number")
        try await store.close()
        let again = try open()
        #expect(try again.get("after") == [0x31])
        try await again.close()
    }

    /// The small write fits into preallocated space, and more is preallocated after it.
    @Test func spaceThatIsPreallocatedAfterAWriteEndsOutOfSpace() async throws {
        let store = try open {
            $0.segmentBytes = 1 << 20
            $0.delays = .manual(ManualDelays())
        }
        try await store.put("first", "1")
        disk.fail { $0.operation == .allocate ? ENOSPC : nil }
        let refused = await firstRefusal { _ in
            try await store.put("fill", [UInt8](repeating: 7, count: 40_000))
        }
        #expect(refused?.code == .outOfSpace && store.state == .outOfSpace)
        disk.heal()
        try await store.put("small", "1")
        store.settle()
        #expect(store.state == .ready)
        try await store.close()
    }

    @Test func aFullDiskAtTheFirstWriteOfAnOpening() async throws {
        let store = try open()
        disk.fail { $0.operation == .allocate || $0.operation == .write ? EDQUOT : nil }
        await expectError(.outOfSpace) { try await store.put("a", "1") }
        disk.heal()
        #expect(try await store.put("a", "1") == 1)
        try await store.close()
    }

    @Test func tooManyFilesAtRotationIsNoFailure() async throws {
        let store = try open()
        try await store.put("a", "1")
        disk.fail { $0.operation == .open ? EMFILE : nil }
        let refused = await firstRefusal(limit: 40) { _ in
            try await store.put("fill", [UInt8](repeating: 7, count: 8_000))
        }
        #expect(refused?.code == .tooManyFiles)
        #expect(store.state == .ready)
        disk.heal()
        try await store.put("b", "1")
        try await store.close()
    }

    @Test(arguments: [FileSystemError.Operation.rename, .syncDirectory, .sync, .write])
    func aRotationThatFailsHalfWayLosesNothing(_ operation: FileSystemError.Operation) async throws {
        var store = try open()
        var acknowledged = 0
        let failure = await firstRefusal(limit: 200) { number in
            if number == 5 {
                disk.fail {
                    $0.operation == operation
                        && ($0.operation == .rename || $0.operation == .syncDirectory || $0.count > 6)
                        ? EIO : nil
                }
            }
            try await store.put("k\(number)", [UInt8](repeating: UInt8(number), count: 3_000))
            acknowledged = number + 1
        }
        // The write that needed the new segment either had its offset in it or was still waiting for one.
        #expect(failure?.code == .outcomeUnknown || failure?.code == .failed)
        disk.heal()
        // Throws `.failed` if an accepted write did not reach the disk.
        try? await store.close()
        store = try open()
        for number in 0..<acknowledged {
            #expect(try store.get("k\(number)") == [UInt8](repeating: UInt8(number), count: 3_000))
        }
        try await store.put("more", "1")
        try await store.close()
    }

    /// As SQLite tests do: fail the first call, then the second and so on, until a run has no call left to fail.
    @Test(arguments: [true, false])
    func everyCallFailsOnceOrFromThenOn(_ once: Bool) async throws {
        var target = 1
        var isClean = false
        while !isClean {
            let disk = FaultyFileSystem(InMemoryFileSystem())
            let configuration = Store.Configuration(
                in: disk, segmentBytes: 16 << 10, commitBufferBytes: 64 << 10)
            let total = Locked(0)
            disk.fail { [target] _ in
                let number = total.withLock { total -> Int in
                    total += 1
                    return total
                }
                return (once ? number == target : number >= target) ? EIO : nil
            }
            var acknowledged: [String] = []
            var failures = 0
            do {
                let store = try Store(openingAt: "/s", configuration: configuration)
                for number in 0..<12 {
                    do {
                        try await store.put("k\(number)", [UInt8](repeating: UInt8(number), count: 1_000))
                        acknowledged.append("k\(number)")
                    } catch {
                        failures += 1
                    }
                }
                do { try await store.close() } catch { failures += 1 }
            } catch {
                failures += 1
            }
            isClean = total.withLock { $0 } < target
            #expect(isClean || once || failures > 0, "call \(target)")
            disk.heal()
            let store = try Store(openingAt: "/s", configuration: configuration)
            for (number, key) in acknowledged.enumerated() {
                #expect(try store.get(key)?.count == 1_000, "\(key), \(number), failing call \(target)")
            }
            try await store.put("after", "1")
            try await store.close()
            target += 1
        }
        #expect(target > 40)
    }

    @Test func aReadErrorAtOpeningIsNotTheEndOfTheLog() async throws {
        let store = try open()
        for number in 0..<10 { try await store.put("k\(number)", "v") }
        try await store.close()
        for nth in 1...2 {
            disk.fail { $0.operation == .read && $0.count == nth ? EIO : nil }
            await expectError(.inputOutput) { _ = try open() }
        }
        disk.heal()
        let again = try open()
        #expect(try Array(again.scan().keys).count == 10)
        try await again.close()
    }

    @Test func openingWithoutPermissionSaysSo() async throws {
        disk.fail { $0.operation == .createDirectory ? EROFS : nil }
        await expectError(.permission) { _ = try open() }
        disk.fail { $0.operation == .lock ? EACCES : nil }
        await expectError(.permission) { _ = try open() }
    }

    @Test func aSyncedWriteIsInvisibleUntilItIsOnDisk() async throws {
        let store = try open()
        try await store.put("a", "1")
        disk.holdSyncs()
        let write = Task { try await store.put("a", "2") }
        while store.statistics.lastSequence < 2 { await Task.yield() }
        let later = Task { try await store.put("b", "1", durability: .buffered) }
        while store.statistics.lastSequence < 3 { await Task.yield() }
        #expect(try store.get("a") == [0x31])
        #expect(try store.get("b") == nil, "a buffered write waits for an earlier synced one")
        #expect(store.statistics.visibleSequence == 1)
        disk.releaseSyncs()
        _ = try await (write.value, later.value)
        #expect(try store.get("a") == [0x32] && store.get("b") == [0x31])
        try await store.close()
    }

    @Test func aCancelledWriteIsRefusedBeforeItIsNumbered() async throws {
        let store = try open()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.put("a", "1")
        }
        await expectError(.cancelled) { _ = try await task.value }
        #expect(try await store.put("b", "1") == 1)
        try await store.close()
    }

    @Test func writersWaitWhenTheDiskIsSlowAndMemoryStaysFlat() async throws {
        let store = try open()
        try await store.put("a", "1")
        disk.holdSyncs()
        let writers = Task {
            try await concurrently(0..<100) { writer in
                try await store.put("k\(writer)", [UInt8](repeating: 1, count: 8_000))
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        // Two buffers of 64 KiB hold at most 16 of these writes.
        #expect(store.statistics.lastSequence <= 20)
        disk.releaseSyncs()
        try await writers.value
        #expect(store.statistics.lastSequence == 101)
        try await store.close()
    }
}
