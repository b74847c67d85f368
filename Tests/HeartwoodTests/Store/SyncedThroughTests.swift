import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// `sync(through:)` waits once for the syncs of many writes.
@Suite struct SyncedThroughTests {
    private let disk = SimulatedDisk(seed: 9)

    private func open() async throws -> Store {
        var configuration = Store.Configuration(in: disk)
        configuration.timing = .never
        return try await Store.open(at: "/store", configuration: configuration)
    }

    private var syncs: Int { disk.trace.calls.count { $0.operation == .sync } }

    @Test(arguments: [Durability.buffered, .written])
    func syncedWritesSurviveAPowerLoss(durability: Durability) async throws {
        let store = try await open()
        var last: SequenceNumber = 0
        for number in 0..<3_000 {
            last = try await store.put("\(number)", "1", durability: durability)
            guard last > 100 else { continue }
            try await store.sync(through: last - 100)
            #expect(store.statistics.syncedSequence >= last - 100)
            guard number % 500 == 0 else { continue }
            let configuration = Store.Configuration(in: SimulatedDisk(image: disk.crash().image))
            let found = try await Store.open(at: "/store", configuration: configuration)
            for before in 0...(number - 100) { #expect(try found.contains("\(before)")) }
            try await found.close()
        }
        try await store.sync(through: last)
        #expect(store.statistics.syncedSequence == last)
        #expect(store.statistics.syncs < 100, "each sync covers many writes")
        try await store.close()
    }

    /// It requests no sync if one in progress covers the write, or if the write is on disk.
    @Test func noSyncIsRequestedTwice() async throws {
        let store = try await open()
        let first = try await store.put("a", "1", durability: .buffered)
        try await store.sync(through: first)
        var before = syncs
        try await store.sync(through: first)
        try await store.sync(through: 0)
        #expect(syncs == before)
        let second = try await store.put("b", "1", durability: .buffered)
        let waiting = Locked<[Task<Void, any Error>]>([])
        disk.observe { [weak store] operation, _ in
            guard operation == .sync, let store, waiting.withLock({ $0.isEmpty }) else { return }
            waiting.withLock { waiting in
                for _ in 0..<8 { waiting.append(Task { try await store.sync(through: second) }) }
            }
            spin { store.log.syncedGate.waiterCount == 9 }
        }
        before = syncs
        try await store.sync(through: second)
        for task in waiting.withLock({ $0 }) { try await task.value }
        disk.observe { _, _ in }
        store.settle()
        #expect(syncs == before + 1)
        try await store.close()
    }

    @Test func invalidNumbersAndFailuresAreErrors() async throws {
        let store = try await open()
        let sequence = try await store.put("a", "1", durability: .written)
        await expectError(.invalidArgument) { try await store.sync(through: sequence + 1) }
        await expectError(.invalidArgument) { try await store.sync(through: .max) }
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        await expectError(.outcomeUnknown) { try await store.sync(through: sequence) }
        await expectError(.failed) { try await store.sync(through: sequence) }
        try await store.sync(through: 0)
        await expectError(.failed) { try await store.close() }
    }

    @Test func aThreadWaitsTheSameWay() async throws {
        let store = try await open()
        let sequence = try await store.put("a", "1", durability: .buffered)
        try await Task.detached { try Self.block(store, sequence) }.value
        #expect(store.statistics.syncedSequence == sequence)
        try await store.close()
        await expectError(.closed) { try Self.block(store, sequence + 1) }
    }

    private static func block(_ store: Store, _ sequence: SequenceNumber) throws {
        try store.blocking.sync(through: sequence)
    }
}
