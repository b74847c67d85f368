import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood

/// On a full disk, removals and compactions still succeed, with space from the reserve.
@Suite struct ReserveTests {
    private let disk = SimulatedDisk(seed: 5)
    private let path = "/store"

    private func open(segmentBytes: Int = 64 << 10) async throws -> Store {
        var configuration = Store.Configuration(
            in: disk, segmentBytes: segmentBytes, commitBufferBytes: 64 << 10)
        configuration.compaction = .manual
        // As many sync marks as possible. On the reserve there are none, because each takes a page.
        configuration.timing.mark = 0
        return try await Store.open(at: path, configuration: configuration)
    }

    private var free: UInt64 { disk.availableBytes(at: path)! }

    /// Uses up the free space of the disk.
    private func fillUp() { disk.capacity -= free }

    private var reserveFiles: [String] {
        get throws { try disk.contents(ofDirectory: path).filter { $0.hasPrefix("reserve-") } }
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    private func expectRefusal(_ store: Store, _ location: SourceLocation = #_sourceLocation) async {
        let error = await expectError(.outOfSpace, location) { try await store.put("more", bytes(100)) }
        #expect(error?.message.contains("free some space") == true, sourceLocation: location)
    }

    /// A store on a disk that is full.
    private func fullStore(keys: Int, segmentBytes: Int = 64 << 10) async throws -> Store {
        disk.stopTracing()
        disk.capacity = 64 << 20
        let store = try await open(segmentBytes: segmentBytes)
        for number in 0..<keys { try await store.put("key-\(number)", bytes(1_000), durability: .buffered) }
        try await store.sync()
        fillUp()
        for size in [1_000, 1] { while (try? await store.put("rest", bytes(size))) != nil {} }
        return store
    }

    @Test func theFirstWriteAllocatesTheReserveAndACloseKeepsIt() async throws {
        disk.capacity = 64 << 20
        var store = try await open()
        #expect(try reserveFiles.isEmpty, "an opening creates no file")
        try await store.put("a", "1")
        #expect(try reserveFiles.count == 3)
        try await store.close()
        let reserved = try reserveFiles.map { try disk.openFile(path + "/" + $0, for: .read).size() }
        #expect(reserved.reduce(0, +) == 160 << 10)
        #expect(disk.capacity - free < 200 << 10, "a small store stays small")
        store = try await open()
        try await store.remove("a")
        try await store.close()
        #expect(try reserveFiles.count == 3)
    }

    @Test(arguments: [16 << 10, 64 << 10, 4 << 20])
    func aFullDiskTakesRemovalsAndNoPuts(segmentBytes: Int) async throws {
        var store = try await fullStore(keys: 300, segmentBytes: segmentBytes)
        await expectRefusal(store)
        for number in 0..<100 { try await store.remove("key-\(number)") }
        await expectRefusal(store)
        #expect(store.state == .outOfSpace)
        // A batch that also puts is refused as a whole.
        await expectError(.outOfSpace) {
            try await store.write { batch in
                batch.remove("key-200")
                batch.put("other", bytes(10))
            }
        }
        try await store.close()
        fillUp()
        for opening in 1...4 {
            store = try await open(segmentBytes: segmentBytes)
            #expect(try store.get("key-\(98 + opening)") == nil && store.get("key-\(99 + opening)") != nil)
            await expectRefusal(store)
            try await store.remove("key-\(99 + opening)")
            await expectRefusal(store)
            try await store.close()
            fillUp()
        }
        store = try await open(segmentBytes: segmentBytes)
        #expect(try Array(store.scan(.prefix("key-")).keys).count == 196)
        #expect(try store.get("other") == nil && store.get("key-200") != nil)
        // With free space, all writes succeed again, and the reserve is allocated again.
        disk.capacity += 8 << 20
        try await store.put("more", bytes(100))
        #expect(store.state == .ready)
        try await store.close()
        let reserved = try reserveFiles.map { try disk.openFile(path + "/" + $0, for: .read).size() }
        #expect(reserved.reduce(0, +) == 160 << 10)
    }

    @Test(arguments: [false, true], [16 << 10, 64 << 10, 4 << 20])
    func aFullStoreCanBeEmptiedAndFreesItsSpace(reopens: Bool, segmentBytes: Int) async throws {
        var store = try await fullStore(keys: 1_000, segmentBytes: segmentBytes)
        if reopens {
            try await store.close()
            fillUp()
            store = try await open(segmentBytes: segmentBytes)
        }
        let keys = Array(try store.scan().keys)
        for start in stride(from: 0, to: keys.count, by: 100) {
            try await store.write { batch in
                for key in keys[start..<min(start + 100, keys.count)] { batch.remove(key) }
            }
        }
        await expectRefusal(store)
        fillUp()
        let report = try await store.compact()
        #expect(report.snapshot?.keys == 0 && report.removedFiles > 0)
        #expect(free > 1 << 20, "free: \(free)")
        try await store.put("again", bytes(1_000))
        #expect(store.state == .ready)
        try await store.close()
        store = try await open(segmentBytes: segmentBytes)
        #expect(try Array(store.scan().keys).map { Array($0) } == [Array("again".utf8)])
        try await store.close()
        #expect(disk.capacity - free < (200 << 10) + UInt64(segmentBytes))
    }

    /// Space that a crashed process had allocated is freed; otherwise each crash would use up a reserve.
    @Test func theReserveSurvivesCrashes() async throws {
        var store = try await fullStore(keys: 100)
        for number in 0..<4 {
            try await store.remove("key-\(number)")
            store.log.abandon()
            fillUp()
            store = try await open()
            #expect(try store.get("key-\(number)") == nil)
            await expectRefusal(store)
        }
        let keys = Array(try store.scan().keys)
        try await store.write { batch in for key in keys { batch.remove(key) } }
        store.log.abandon()
        fillUp()
        store = try await open()
        #expect(try await store.compact().snapshot?.keys == 0)
        try await store.put("again", bytes(1_000))
        try await store.close()
    }

    @Test func compactionNeedsNoMoreThanItWrites() async throws {
        disk.capacity = 256 << 20
        // The default size of segments.
        let store = try await open(segmentBytes: 64 << 20)
        for number in 0..<50 { try await store.put("key-\(number)", bytes(100)) }
        fillUp()
        disk.capacity += 32 << 10
        #expect(try await store.compact().snapshot?.keys == 50)
        try await store.put("again", bytes(100))
        try await store.close()
    }

    /// On ext4, directories grow by blocks. The next write that needs space allocates the reserve again.
    @Test(arguments: [1, 2])
    func theReserveGivesADirectoryTheBlockForASegmentsName(failures: Int) async throws {
        disk.capacity = 64 << 20
        let store = try await open()
        try await store.put("first", "1")
        disk.inject(Fault(.rename, .error(ErrorNumber.ENOSPC), path: StoreFileName.spareName, times: failures))
        for number in 0..<60 { try await store.put("key-\(number)", bytes(1_000)) }
        #expect(disk.injected.count == failures && store.state == .ready)
        #expect(try reserveFiles.count == 3)
        try await store.close()
    }

    @Test func aCompactionThatDoesNotFitLeavesTheReserve() async throws {
        let store = try await fullStore(keys: 1_000)
        for _ in 0..<3 { await expectError(.outOfSpace) { try await store.compact() } }
        disk.capacity += 990 << 10
        for _ in 0..<3 { await expectError(.outOfSpace) { try await store.compact() } }
        fillUp()
        let keys = Array(try store.scan().keys)
        try await store.write { batch in for key in keys { batch.remove(key) } }
        fillUp()
        #expect(try await store.compact().snapshot?.keys == 0)
        try await store.put("again", bytes(1_000))
        try await store.close()
    }

    @Test func theLongestKeyIsRemovedOnAFullDisk() async throws {
        disk.capacity = 64 << 20
        let store = try await open()
        let key = bytes(65_535)
        try await store.put(key, "1")
        fillUp()
        while (try? await store.put("rest", bytes(1_000))) != nil {}
        try await store.remove(key)
        #expect(try store.get(key) == nil)
        // More than the reserve has is refused; the message says what to do.
        let error = await expectError(.outOfSpace) {
            try await store.write { batch in for _ in 0..<4 { batch.remove(key) } }
        }
        #expect(error?.message.contains("reserve") == true)
        try await store.close()
    }

    @Test func aRefusedRemovalSaysHowManyKeysGoThrough() async throws {
        let store = try await fullStore(keys: 9_000, segmentBytes: 4 << 20)
        let error = await expectError(.outOfSpace) { try await store.remove(in: .prefix("key-")) }
        let words = try #require(error?.message).split(separator: " ").map(String.init)
        #expect(words.contains("9000"))
        let position = try #require(words.firstIndex(of: "about"))
        let count = try #require(Int(words[position + 1]))
        #expect((2_000..<9_000).contains(count))
        // About as many, since keys differ in length.
        let limit = count * 9 / 10
        #expect(try await store.remove(in: .prefix("key-"), limit: limit).value == limit)
        // Then the reserve is used up, also for fewer.
        let other = await expectError(.outOfSpace) { try await store.remove(in: .prefix("key-"), limit: limit) }
        #expect(other?.message.contains("used up") == true)
        try await store.close()
    }

    /// The segment that a compaction begins has no records, so no other can follow it: it grows by space from the
    /// reserve.
    @Test func aSegmentWithoutRecordsTakesARemovalOnAFullDisk() async throws {
        let store = try await fullStore(keys: 10)
        disk.capacity += 64 << 10
        try await store.compact()
        fillUp()
        // Larger than the free space of the segment.
        let key = bytes(60_000)
        try await store.remove(key)
        await expectRefusal(store)
        try await store.remove("key-1")
        try await store.close()
    }

    /// A store of a version without a reserve, or whose reserve was deleted.
    @Test func aStoreWithoutAReserveGetsOneWhenThereIsSpace() async throws {
        var store = try await fullStore(keys: 20)
        try await store.close()
        for name in try reserveFiles { try disk.remove(path + "/" + name) }
        fillUp()
        store = try await open()
        let error = await expectError(.outOfSpace) { try await store.remove("key-1") }
        #expect(error?.message.contains("reserve") == true && error?.message.contains("free some space") == true)
        disk.capacity += 1 << 20
        try await store.remove("key-1")
        try await store.close()
        #expect(try reserveFiles.count == 3)
    }

    /// A copy of the files may have holes where the reserve was, or anything else.
    @Test func aReserveOfOtherBytesIsNotTakenForALog() async throws {
        var store = try await fullStore(keys: 20)
        try await store.close()
        for name in try reserveFiles {
            let file = try disk.openFile(path + "/" + name, for: .readWrite)
            let size = try file.size()
            disk.capacity += 8 << 10
            try bytes(Int(size) + 5_000).withUnsafeBytes { try file.writeFully($0, at: 0) }
            try file.close()
        }
        fillUp()
        for number in 0..<3 {
            store = try await open()
            try await store.remove("key-\(number)")
            try await store.close()
        }
        store = try await open()
        #expect(try Array(store.scan(.prefix("key-")).keys).count == 17)
        try await store.close()
    }
}
