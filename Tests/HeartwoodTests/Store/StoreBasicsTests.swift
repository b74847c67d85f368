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

    @Test func aValueComesBack() async throws {
        let store = try await onDisk()
        let first = try await store.put("user:1", "Ada")
        let second = try await store.put("user:2", [0, 1, 2] as [UInt8])
        #expect(first == 1 && second == 2)
        #expect(try store.get("user:1") == [UInt8]("Ada".utf8))
        #expect(try await store.fetch("user:2") == [0, 1, 2])
        #expect(try store.get("user:3") == nil)
        #expect(try store.contains("user:1"))
        try await store.close()
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

    @Test func aStoreInMemoryBehavesTheSame() async throws {
        let store = try Store.inMemory()
        try await store.put("a", "1")
        try await store.put("b", "2", durability: .buffered)
        #expect(try store.get("a") == [0x31])
        #expect(try store.get("b") == [0x32])
        try await store.close()
    }

    @Test func anEmptyValueIsAValue() async throws {
        let store = try await onDisk()
        try await store.put("empty", "")
        #expect(try store.get("empty") == [])
        try await store.close()
    }

    @Test func limitsOfKeysAndValuesAreErrors() async throws {
        let store = try await onDisk { $0.maximumValueBytes = 10 }
        await expectError(.invalidArgument) { try await store.put("", "x") }
        await expectError(.invalidArgument) {
            try await store.put([UInt8](repeating: 1, count: 65_536), "x")
        }
        try await store.put([UInt8](repeating: 1, count: 65_535), "x")
        await expectError(.tooLarge) { try await store.put("k", "12345678901") }
        await expectError(.invalidArgument) { try await store.write { $0.remove("") } }
        #expect(throws: StoreError.self) { try store.get("") }
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

    @Test func batchesHaveOneNumber() async throws {
        let store = try await onDisk()
        let number = try await store.write { batch in
            batch.put("a", "1")
            batch.put("b", "2")
            batch.remove("a")
            batch.put("b", "3")
        }
        #expect(number == 1)
        #expect(try store.get("a") == nil)
        #expect(try store.get("b") == [0x33])
        #expect(try store.entry("b")?.sequence == 1)
        #expect(try await store.put("c", "4") == 2)
        try await store.close()
    }

    @Test func conditionsAreChecked() async throws {
        let store = try await onDisk()
        let first = try await store.put("a", "1", if: .absent)
        await expectError(.conflict) { try await store.put("a", "2", if: .absent) }
        let second = try await store.put("a", "2", if: .sequence(first))
        await expectError(.conflict) { try await store.put("a", "3", if: .sequence(first)) }
        await expectError(.conflict) { try await store.remove("a", if: .sequence(first)) }
        try await store.remove("a", if: .sequence(second))
        try await store.put("a", "4", if: .absent)
        let view = try store.readView()
        try await store.put("z", "1", durability: .buffered)
        try await store.write { $0.require(.unchangedRange(.prefix("a"), since: view)) }
        await expectError(.conflict) {
            try await store.write { $0.require(.unchangedRange(.all, since: view)) }
        }
        try await store.close()
    }

    @Test func transactionsSeeTheirOwnWritesAndRunAgainOnConflict() async throws {
        let store = try await onDisk()
        try await store.put("n", "1")
        var runs = 0
        let result = try await store.transaction { tx in
            runs += 1
            let n = Int(String(decoding: try tx.get("n")!, as: UTF8.self))!
            if runs == 1 { _ = try await Task.detached { try await store.put("n", "10") }.value }
            try tx.put("n", "\(n + 1)")
            #expect(try tx.get("n") == [UInt8]("\(n + 1)".utf8))
            #expect(try tx.entries(limit: .max).entries.map(\.value) == [[UInt8]("\(n + 1)".utf8)])
            return n + 1
        }
        #expect(runs == 2 && result.value == 11 && result.sequence == 3)
        #expect(try store.get("n") == [UInt8]("11".utf8))
        try await store.close()
    }

    @Test func scansGoBothWays() async throws {
        let store = try await onDisk()
        for number in 0..<50 {
            try await store.put("k\(number / 10)\(number % 10)", "\(number)", durability: .buffered)
        }
        try await store.put("l", "other", durability: .buffered)
        var seen: [String] = []
        for try await entry in store.scan(.prefix("k1")) {
            seen.append(String(decoding: entry.key, as: UTF8.self))
        }
        #expect(seen == (10..<20).map { "k\($0)" })
        seen = []
        for try await entry in store.scan(.range(from: "k45", to: "l"), reversed: true) {
            seen.append(String(decoding: entry.key, as: UTF8.self))
        }
        #expect(seen == ["k49", "k48", "k47", "k46", "k45"])
        #expect(try Array(store.scan().keys).count == 51)
        #expect(try Array(store.scan(.upTo("k02"), reversed: true).keys) == [[UInt8]("k01".utf8), [UInt8]("k00".utf8)])
        #expect(try store.scan(.from("k30"), limit: 1).entries().first?.value == [UInt8]("30".utf8))
        try await store.close()
    }

    @Test func readViewsStayUnchanged() async throws {
        let store = try await onDisk()
        try await store.put("a", "1")
        try await store.put("b", "1")
        let view = try store.readView()
        try await store.put("a", "2")
        try await store.remove("b")
        try await store.put("c", "1")
        #expect(try view.get("a") == [0x31])
        #expect(try view.get("b") == [0x31])
        #expect(try view.get("c") == nil)
        #expect(try Array(view.scan().keys).count == 2)
        #expect(try store.get("a") == [0x32])
        try await store.close()
    }

    @Test func expiryFollowsTheClockAndIsNeverUndone() async throws {
        let clock = ManualClock(milliseconds: 1_000_000)
        let store = try await onDisk { $0.clock = clock }
        try await store.put("short", "1", expires: .after(.seconds(10)))
        try await store.put("long", "2", expires: .at(Timestamp(milliseconds: 2_000_000)))
        let view = try store.readView()
        #expect(try store.get("short") == [0x31])
        clock.set(1_010_000)
        #expect(try store.get("short") == nil)
        #expect(try store.contains("short") == false)
        #expect(try view.get("short") == [0x31])
        #expect(try Array(store.scan().keys).count == 1)
        try await store.put("short", "3", if: .absent)
        try await store.put("other", "4", expires: .after(.seconds(1)))
        clock.set(1_012_000)
        try await store.put("tick", "")
        clock.set(5_000)
        #expect(try store.get("other") == nil)
        try await store.close()
        let again = try await onDisk { $0.clock = clock }
        #expect(try again.get("other") == nil)
        #expect(try again.entry("long")?.expires == Timestamp(milliseconds: 2_000_000))
        try await again.close()
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

    @Test func flushSyncsBufferedWrites() async throws {
        let store = try await onDisk()
        for number in 0..<1_000 { try await store.put("k\(number)", "v", durability: .buffered) }
        #expect(try await store.sync() == 1_000)
        #expect(store.statistics.syncedSequence == 1_000)
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
