import Foundation
import Heartwood
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// The state of a store after failures of the file system.
@Suite struct FailureStateTests {
    let disk = SimulatedDisk()

    /// Commits are written by calls, so that these can fail.
    init() { disk.allowsMapping = false }

    /// Fails every call of these kinds.
    private func fail(_ operations: FileSystemError.Operation..., code: Int32 = EIO, path: String = "") {
        disk.inject(Fault(Set(operations), .error(code), path: path, times: .max))
    }

    private func holdSyncs(_ isHeld: Locked<Bool>) {
        disk.observe { operation, _ in
            if operation == .sync { spin { !isHeld.withLock { $0 } } }
        }
    }

    private func open(_ configure: (inout Store.Configuration) -> Void = { _ in }) throws -> Store {
        var configuration = Store.Configuration(in: disk, segmentBytes: 64 << 10, commitBufferBytes: 64 << 10)
        configure(&configuration)
        return try Store(openingAt: "/data/store", configuration: configuration)
    }

    @Test func afterAFailedSyncNothingMoreIsAcknowledged() async throws {
        var store = try open()
        try await store.put("safe", "1")
        fail(.sync)
        await expectError(.outcomeUnknown) { try await store.put("lost", "1") }
        #expect(store.state == .failed)
        disk.heal()
        let calls = disk.trace.callCount
        await expectError(.failed) { try await store.put("later", "1") }
        await expectError(.failed) { try await store.put("later", "1", durability: .buffered) }
        await expectError(.failed) { try await store.sync() }
        #expect(try store.get("safe") == [0x31])
        #expect(try store.get("lost") == nil, "what isn't on disk isn't visible")
        let later = disk.trace.calls.filter { $0.number >= calls }
        #expect(!later.contains { $0.operation == .sync }, "a failed sync is never repeated")
        await expectError(.failed) { try await store.close() }
        store = try open()
        #expect(try store.get("safe") == [0x31])
        try await store.put("again", "1")
        try await store.close()
    }

    /// Otherwise the next opening after a crash would assign the number of a buffered write again.
    @Test func noNumberIsAssignedBeforeTheFirstSegmentExists() async throws {
        for operation in [FileSystemError.Operation.rename, .syncDirectory] {
            try await open().close()
            fail(operation, path: operation == .rename ? "" : "/data/store")
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
        fail(.write)
        let error = await expectError(.outcomeUnknown) { try await store.put("lost", "1", durability: .written) }
        #expect((error?.cause as? FileSystemError)?.code == EIO)
        disk.heal()
        await expectError(.failed) { try await store.close() }
        let again = try open()
        #expect(try again.get("safe") == [0x31])
        try await again.close()
    }

    /// The small write fits into preallocated space, and more is preallocated after it.
    @Test func spaceThatIsPreallocatedAfterAWriteEndsOutOfSpace() async throws {
        let store = try open {
            $0.segmentBytes = 1 << 20
            $0.delays = .manual(ManualDelays())
        }
        try await store.put("first", "1")
        fail(.allocate, code: ENOSPC)
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
        fail(.allocate, .write, code: EDQUOT)
        await expectError(.outOfSpace) { try await store.put("a", "1") }
        disk.heal()
        #expect(try await store.put("a", "1") == 1)
        try await store.close()
    }

    @Test func tooManyFilesAtRotationIsNoFailure() async throws {
        let store = try open()
        try await store.put("a", "1")
        fail(.open, code: EMFILE)
        let refused = await firstRefusal(limit: 40) { _ in
            try await store.put("fill", [UInt8](repeating: 7, count: 8_000))
        }
        #expect(refused?.code == .tooManyFiles)
        #expect(store.state == .ready)
        disk.heal()
        try await store.put("b", "1")
        try await store.close()
    }

    /// As SQLite tests do: fails the first call, then the second and so on, also while the store rotates. No call loses
    /// an acknowledged write, alone or with a crash after it.
    @Test func everyCallFailsOnceOrFromThenOn() async throws {
        struct Lost: Error { let number: Int }
        func configuration(_ disk: SimulatedDisk) -> Store.Configuration {
            disk.allowsMapping = false
            return Store.Configuration(in: disk, segmentBytes: 16 << 10, commitBufferBytes: 64 << 10)
        }
        var rotations = UInt64(0)
        let report = try await CrashTest().failEveryCall { disk in
            let store = try await Store.open(at: "/store", configuration: configuration(disk))
            for number in 0..<14 {
                do {
                    try await store.put("k\(number)", [UInt8](repeating: UInt8(number), count: 1_000))
                    disk.note(number)
                } catch let error as StoreError {
                    #expect([.inputOutput, .outcomeUnknown, .failed].contains(error.code), "\(error)")
                }
            }
            rotations = max(rotations, store.statistics.rotations)
            try await store.close()
        } check: { disk, crash in
            let store = try await Store.open(at: "/store", configuration: configuration(disk))
            for number in crash.notes(of: Int.self)
            where try store.get("k\(number)") != [UInt8](repeating: UInt8(number), count: 1_000) {
                throw Lost(number: number)
            }
            try await store.put("after", "1")
            try await store.close()
        }
        #expect(report.faults > 80 && rotations > 0, "\(report)")
    }

    @Test func aReadErrorAtOpeningIsNotTheEndOfTheLog() async throws {
        let store = try open()
        for number in 0..<10 { try await store.put("k\(number)", "v") }
        try await store.close()
        for nth in 1...2 {
            disk.inject(Fault(.read, .error(EIO), at: nth))
            await expectError(.inputOutput) { _ = try open() }
            disk.heal()
        }
        let again = try open()
        #expect(try Array(again.scan().keys).count == 10)
        try await again.close()
    }

    @Test func openingWithoutPermissionSaysSo() async throws {
        fail(.createDirectory, code: EROFS)
        await expectError(.permission) { _ = try open() }
        disk.heal()
        fail(.lock, code: EACCES)
        await expectError(.permission) { _ = try open() }
    }

    @Test func aSyncedWriteIsInvisibleUntilItIsOnDisk() async throws {
        let store = try open()
        try await store.put("a", "1")
        let isHeld = Locked(true)
        holdSyncs(isHeld)
        let write = Task { try await store.put("a", "2") }
        while store.statistics.lastSequence < 2 { await Task.yield() }
        let later = Task { try await store.put("b", "1", durability: .buffered) }
        while store.statistics.lastSequence < 3 { await Task.yield() }
        #expect(try store.get("a") == [0x31])
        #expect(try store.get("b") == nil, "a buffered write waits for an earlier synced one")
        #expect(store.statistics.visibleSequence == 1)
        isHeld.withLock { $0 = false }
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
        let isHeld = Locked(true)
        holdSyncs(isHeld)
        let writers = Task {
            try await concurrently(0..<100) { writer in
                try await store.put("k\(writer)", [UInt8](repeating: 1, count: 8_000))
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        // Two buffers of 64 KiB hold at most 16 of these writes.
        #expect(store.statistics.lastSequence <= 20)
        isHeld.withLock { $0 = false }
        try await writers.value
        #expect(store.statistics.lastSequence == 101)
        try await store.close()
    }
}
