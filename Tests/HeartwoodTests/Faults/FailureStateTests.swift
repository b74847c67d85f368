import Foundation
import Heartwood
import HeartwoodFileSystem
import Testing

/// What the store does when the system fails it.
@Suite struct FailureStateTests {
    let disk = FaultyFileSystem(InMemoryFileSystem())

    private func open(_ configure: (inout Store.Configuration) -> Void = { _ in }) throws -> Store {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        configuration.segmentBytes = 64 << 10
        configuration.commitBufferBytes = 64 << 10
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
        await expectError(.failed) { try await store.flush() }
        #expect(try store.get("safe") == [0x31])
        #expect(try store.get("lost") == nil, "what isn't on disk isn't seen")
        #expect(!disk.calls.contains { $0.operation == .sync }, "a failed sync is never tried again")
        await expectError(.failed) { try await store.close() }
        store = try open()
        #expect(try store.get("safe") == [0x31])
        try await store.put("again", "1")
        try await store.close()
    }

    /// A buffered write returned with a number while nothing on disk told of the opening; after a crash the next
    /// opening gave the same number again.
    @Test func noNumberIsGivenBeforeTheFirstSegmentIsInPlace() async throws {
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

    @Test func aFullDiskRefusesBeforeNumberingAndHealsByItself() async throws {
        let store = try open()
        let first = try await store.put("first", "1")
        disk.fail { $0.operation == .allocate ? ENOSPC : nil }
        var accepted: [SequenceNumber] = []
        var refused: StoreError?
        while refused == nil {
            do {
                accepted.append(try await store.put("fill", [UInt8](repeating: 7, count: 8_000)))
            } catch {
                refused = error
            }
        }
        #expect(refused?.code == .outOfSpace)
        #expect(store.state == .outOfSpace)
        #expect(try store.get("first") == [0x31])
        #expect(accepted == Array((first + 1)..<(first + 1 + UInt64(accepted.count))))
        disk.heal()
        // Nobody writes: the store looks by itself.
        for _ in 0..<100 where store.state != .ready { try await Task.sleep(for: .milliseconds(50)) }
        #expect(store.state == .ready)
        let next = try await store.put("after", "1")
        #expect(next == first + 1 + UInt64(accepted.count), "a refused write has no number")
        try await store.close()
        let again = try open()
        #expect(try again.get("after") == [0x31])
        try await again.close()
    }

    /// A small write fitted into what was preallocated, and more was preallocated after it; the state stayed
    /// `.outOfSpace` until the next look at the disk.
    @Test func spaceThatIsPreallocatedAfterAWriteEndsOutOfSpace() async throws {
        let store = try open {
            $0.segmentBytes = 1 << 20
            $0.delays = .manual(ManualDelays())
        }
        try await store.put("first", "1")
        disk.fail { $0.operation == .allocate ? ENOSPC : nil }
        var refused: StoreError?
        while refused == nil {
            do { try await store.put("fill", [UInt8](repeating: 7, count: 40_000)) } catch { refused = error }
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

    @Test func tooManyFilesAtRotationIsNotTheEnd() async throws {
        let store = try open()
        try await store.put("a", "1")
        disk.fail { $0.operation == .open ? EMFILE : nil }
        var refused: StoreError?
        for _ in 0..<40 where refused == nil {
            do { try await store.put("fill", [UInt8](repeating: 7, count: 8_000)) } catch { refused = error }
        }
        #expect(refused?.code == .tooManyFiles)
        #expect(store.state == .ready)
        disk.heal()
        try await store.put("b", "1")
        try await store.close()
    }

    @Test(arguments: [
        FileSystemError.Operation.rename, .syncDirectory, .sync, .write,
    ])
    func aRotationThatFailsHalfWayLosesNothing(_ operation: FileSystemError.Operation) async throws {
        var store = try open()
        var acknowledged = 0
        var failure: StoreError?
        for number in 0..<200 where failure == nil {
            if number == 5 {
                disk.fail { [acknowledged = number] in
                    _ = acknowledged
                    return $0.operation == operation
                        && ($0.operation == .rename || $0.operation == .syncDirectory || $0.count > 6)
                        ? EIO : nil
                }
            }
            do {
                try await store.put("k\(number)", [UInt8](repeating: UInt8(number), count: 3_000))
                acknowledged = number + 1
            } catch {
                failure = error
            }
        }
        // The write that needed the new segment either had its place in it already or was still waiting for one.
        #expect(failure?.code == .outcomeUnknown || failure?.code == .failed)
        disk.heal()
        // With `.failed` where something had been accepted that the disk never got.
        try? await store.close()
        store = try open()
        for number in 0..<acknowledged {
            #expect(try store.get("k\(number)") == [UInt8](repeating: UInt8(number), count: 3_000))
        }
        try await store.put("more", "1")
        try await store.close()
    }

    /// The SQLite loop: fail the first call, then the second, … until a run has no call left to fail.
    @Test(arguments: [true, false])
    func everyCallFailsOnceOrForEver(_ once: Bool) async throws {
        var target = 1
        var isClean = false
        while !isClean {
            let disk = FaultyFileSystem(InMemoryFileSystem())
            var configuration = Store.Configuration()
            configuration.fileSystem = disk
            configuration.segmentBytes = 16 << 10
            configuration.commitBufferBytes = 64 << 10
            let total = Counter()
            disk.fail { [target] call in
                let number = total.next()
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
            isClean = total.value < target
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

    @Test func aReadErrorAtOpeningIsNeverTakenForTheEnd() async throws {
        let store = try open()
        for number in 0..<10 { try await store.put("k\(number)", "v") }
        try await store.close()
        for nth in 1...2 {
            disk.fail { $0.operation == .read && $0.count == nth ? EIO : nil }
            await expectError(.inputOutput) { _ = try open() }
        }
        disk.heal()
        let again = try open()
        #expect(try Array(again.keys()).count == 10)
        try await again.close()
    }

    @Test func openingWithoutPermissionSaysSo() async throws {
        disk.fail { $0.operation == .createDirectory ? EROFS : nil }
        await expectError(.permission) { _ = try open() }
        disk.fail { $0.operation == .lock ? EACCES : nil }
        await expectError(.permission) { _ = try open() }
    }

    @Test func nobodySeesASyncedWriteBeforeItIsOnDisk() async throws {
        let store = try open()
        try await store.put("a", "1")
        disk.holdSyncs()
        let write = Task { try await store.put("a", "2") }
        while store.statistics.lastSequence < 2 { await Task.yield() }
        let behind = Task { try await store.put("b", "1", durability: .buffered) }
        while store.statistics.lastSequence < 3 { await Task.yield() }
        #expect(try store.get("a") == [0x31])
        #expect(try store.get("b") == nil, "a buffered write waits behind a synced one")
        #expect(store.statistics.visibleSequence == 1)
        disk.releaseSyncs()
        _ = try await (write.value, behind.value)
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
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<100 {
                    group.addTask { try await store.put("k\(writer)", [UInt8](repeating: 1, count: 8_000)) }
                }
                try await group.waitForAll()
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        // Two buffers of 64 KiB hold 16 of these writes at the most.
        #expect(store.statistics.lastSequence <= 20)
        disk.releaseSyncs()
        try await writers.value
        #expect(store.statistics.lastSequence == 101)
        try await store.close()
    }
}

/// Counts calls.
final class Counter: Sendable {
    private let count = Locked(0)
    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
    var value: Int { count.withLock { $0 } }
}
