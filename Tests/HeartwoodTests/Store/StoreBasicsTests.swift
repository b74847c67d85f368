import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import Testing

/// The basic operations, on disk and in memory.
@Suite struct StoreBasicsTests {
    let directory = TemporaryDirectory()

    private func onDisk(_ configure: (inout Store.Configuration) -> Void = { _ in }) async throws -> Store {
        var configuration = Store.Configuration()
        configure(&configuration)
        return try await Store.open(at: directory.path("store"), configuration: configuration)
    }

    @Test(arguments: [Durability.synced, .written, .buffered])
    func aValueSurvivesClosingAndOpening(_ durability: Durability) async throws {
        var store = try await onDisk()
        for number in 0..<100 {
            try await store.put("key\(number)", "value\(number)", durability: durability)
        }
        try await store.remove("key7", durability: durability)
        try await store.close()
        store = try await onDisk()
        #expect(store.recoveryReport.tail == .closed)
        #expect(store.recoveryReport.records == 101)
        for number in 0..<100 {
            #expect(try store.get("key\(number)") == (number == 7 ? nil : [UInt8]("value\(number)".utf8)))
        }
        #expect(try await store.put("more", "x") == 102)
        try await store.close()
    }

    @Test func closingIsIdempotentAndUseAfterwardsIsAnError() async throws {
        let store = try await onDisk()
        try await store.put("a", "1")
        try await store.close()
        try await store.close()
        #expect(store.state == .closed)
        await expectError(.closed) { try await store.put("a", "2") }
        await expectError(.closed) { _ = try store.get("a") }
        await expectError(.closed) { _ = try await store.fetch("a") }
        await expectError(.closed) { try await store.sync() }
        await expectError(.closed) { _ = try store.readView() }
        await expectError(.closed) { try await store.transaction { _ in } }
        await expectError(.closed) { for try await _ in store.scan() {} }
    }

    @Test func anotherOpeningIsRefusedAndNamesTheHolder() async throws {
        let store = try await onDisk()
        let error = await expectError(.locked) { _ = try await onDisk() }
        #expect(error?.message.contains("in use by this process: use the 'Store' that is open already") == true)
        try await store.close()
        try await onDisk().close()
    }

    @Test func aStoreReleasesItsLockWhenItIsDeinitialized() async throws {
        do {
            let store = try await onDisk()
            try await store.put("a", "1")
        }
        let store = try await onDisk()
        #expect(try store.get("a") == [0x31])
        #expect(store.recoveryReport.tail != .closed)
        try await store.close()
    }

    @Test func aMissingStoreIsNotCreated() async throws {
        await expectError(.notFound) { _ = try await onDisk { $0.createIfMissing = false } }
        #expect(TemporaryDirectory.names(in: directory.path).isEmpty)
    }

    @Test func withStoreClosesOnEveryPath() async throws {
        struct Stop: Error {}
        let path = directory.path("store")
        let kept = try await Store.withStore(at: path) { store in
            try await store.put("a", "1")
            return store
        }
        #expect(kept.state == .closed)
        await #expect(throws: Stop.self) {
            try await Store.withStore(at: path) { _ in throw Stop() }
        }
        try await onDisk().close()
    }

    @Test func largeValuesComeBack() async throws {
        var store = try await onDisk { $0.segmentBytes = 4 << 20 }
        var generator = SplitMix64(seed: 1)
        var values: [[UInt8]] = []
        for size in [1 << 20, (1 << 20) + 3, 9 << 20, 70_000, 5 << 20] {
            values.append((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        for (number, value) in values.enumerated() {
            try await store.put("large\(number)", value, durability: number % 2 == 0 ? .synced : .buffered)
            #expect(try store.get("large\(number)") == value)
        }
        let all = values
        try await store.write { batch in
            for (number, value) in all.enumerated() { batch.put("batch\(number)", value) }
        }
        for (number, value) in values.enumerated() { #expect(try store.get("batch\(number)") == value) }
        try await store.close()
        store = try await onDisk { $0.segmentBytes = 4 << 20 }
        for (number, value) in values.enumerated() {
            #expect(try store.get("large\(number)") == value)
            #expect(try store.get("batch\(number)") == value)
        }
        #expect(store.recoveryReport.segments > 3)
        try await store.close()
    }

    @Test func compressedAndPlainValuesCanBeMixed() async throws {
        let text = [UInt8](String(repeating: "compressible ", count: 200).utf8)
        var store = try await onDisk()
        try await store.put("plain", text)
        try await store.close()
        store = try await onDisk { $0.compression = .zlib(level: 6, threshold: 64) }
        #expect(try store.get("plain") == text)
        try await store.put("packed", text)
        #expect(store.statistics.writtenBytes < 1_000 + 4096)
        #expect(try store.get("packed") == text)
        try await store.close()
        store = try await onDisk()
        #expect(try store.get("packed") == text)
        #expect(try store.get("plain") == text)
        try await store.close()
    }

    @Test func filesHaveTheirNames() async throws {
        let store = try await onDisk()
        try await store.put("a", "1")
        #expect(
            TemporaryDirectory.names(in: directory.path("store")) == [
                "0000000000000001.log", "LOCK", "reserve-removals.tmp", "reserve-segment.tmp",
                "reserve-snapshot.tmp",
            ])
        try await store.close()
    }
}
