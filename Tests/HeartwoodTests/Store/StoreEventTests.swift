import Heartwood
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

/// What an observer of a store is called with.
@Suite(.timeLimit(.minutes(5))) struct StoreEventTests {
    /// The names of the events, and what the syncs carried.
    private final class Events: Sendable {
        let names = Locked<[String]>([])
        let synced = Locked<(batches: UInt64, bytes: UInt64)>((0, 0))

        func configuration(_ disk: any FileSystem) -> Store.Configuration {
            var configuration = Store.Configuration(in: disk, commitBufferBytes: 64 << 10)
            configuration.observer = { self.note($0) }
            return configuration
        }

        private func note(_ event: StoreEvent) {
            if case .synced(_, let batches, let bytes) = event {
                return synced.withLock { $0 = ($0.batches + batches, $0.bytes + bytes) }
            }
            let name = "\(event)"
            names.withLock { $0.append(String(name.prefix { $0 != "(" })) }
        }

        func take() -> [String] {
            names.withLock { names in
                defer { names = [] }
                return names
            }
        }
    }

    @Test func openingWritingCompactingAndClosingAreObserved() async throws {
        let (events, disk) = (Events(), SimulatedDisk())
        let store = try await Store.open(at: "/store", configuration: events.configuration(disk))
        #expect(events.take() == ["recoveryBegan", "recovered"])
        for number in 0..<10 { try await store.put("k\(number)", "value") }
        try await store.compact()
        #expect(events.take() == ["compactionBegan", "compacted"])
        try await store.close()
        #expect(events.take() == ["closed"])
        // Each of these batches was on the disk when its put returned, because of one sync.
        #expect(events.synced.withLock { $0.batches } == 10)
        #expect(events.synced.withLock { $0.bytes } > 10 * 7)
    }

    @Test func aFailedSyncIsObservedOnce() async throws {
        let (events, disk) = (Events(), SimulatedDisk())
        let store = try await Store.open(at: "/store", configuration: events.configuration(disk))
        try await store.put("a", "1")
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        await expectError(.outcomeUnknown) { try await store.put("b", "1") }
        await expectError(.failed) { try await store.put("c", "1") }
        await expectError(.failed) { try await store.close() }
        #expect(events.take() == ["recoveryBegan", "recovered", "failed", "closed"])
    }

    @Test func aFailedCompactionIsObserved() async throws {
        let (events, disk) = (Events(), SimulatedDisk())
        let store = try await Store.open(at: "/store", configuration: events.configuration(disk))
        try await store.put("a", "1")
        _ = events.take()
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO), path: StoreFileName.newSnapshotName))
        await expectError(.inputOutput) { try await store.compact() }
        #expect(events.take() == ["compactionBegan", "compactionFailed"])
        try await store.close()
    }

    @Test func aFullDiskIsObservedOnceUntilItHasSpace() async throws {
        let (events, disk) = (Events(), SmallFileSystem(bytes: 8 << 20))
        let store = try await Store.open(at: "/store", configuration: events.configuration(disk))
        let value = [UInt8](repeating: 7, count: 10_000)
        let refused = await firstRefusal { try await store.put("k\($0)", value) }
        #expect(refused?.code == .outOfSpace)
        await expectError(.outOfSpace) { try await store.put("k", value) }
        #expect(events.take() == ["recoveryBegan", "recovered", "outOfSpace"])
        disk.add(bytes: 64 << 20)
        while store.state == .outOfSpace { try await Task.sleep(for: .milliseconds(1)) }
        try await store.put("k", value)
        #expect(events.take() == ["spaceFound"])
        try await store.close()
    }

    /// The lag is what the slowest consumer isn't done with; a feed that is released has none.
    @Test func feedsAndTheirLagAreCounted() async throws {
        let store = try await Store.open(at: "/store", configuration: Store.Configuration(in: SimulatedDisk()))
        #expect(store.statistics.feeds == 0 && store.statistics.feedLag == 0)
        do {
            var feed = store.changes(level: .visible).makeAsyncIterator()
            for number in 0..<5 { try await store.put("k\(number)", "value") }
            _ = try await feed.next()
            #expect(store.statistics.feeds == 1)
            #expect(store.statistics.feedLag == 5)
            for _ in 1..<5 { _ = try await feed.next() }
            async let next = feed.next()
            while store.statistics.feedLag > 0 { await Task.yield() }
            try await store.put("last", "value")
            #expect(try await next?.key == Array("last".utf8))
        }
        #expect(store.statistics.feeds == 0 && store.statistics.feedLag == 0)
        try await store.close()
    }

    /// Writers that wait for room are held back, and the time is counted.
    @Test func waitsForRoomAreCounted() async throws {
        let disk = SmallFileSystem(bytes: 64 << 20)
        let store = try await Store.open(
            at: "/store", configuration: Store.Configuration(in: disk, commitBufferBytes: 64 << 10))
        #expect(store.statistics.roomWaits == .zero && store.statistics.throttling == .zero)
        let value = [UInt8](repeating: 7, count: 60_000)
        try await concurrently(0..<8) { task in
            for number in 0..<20 { try await store.put("\(task)-\(number)", value, durability: .buffered) }
        }
        #expect(store.statistics.roomWaits > .zero)
        try await store.close()
    }
}
