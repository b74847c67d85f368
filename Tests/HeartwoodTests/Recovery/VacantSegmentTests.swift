import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// A segment that was closed and holds nothing: the next opening continues in it, and no number is skipped.
@Suite struct VacantSegmentTests {
    private let clock = ManualClock(milliseconds: 1_700_000_000_000)

    private func configuration(_ disk: SimulatedDisk) -> Store.Configuration {
        var configuration = Store.Configuration()
        (configuration.fileSystem, configuration.clock) = (disk, clock)
        configuration.compaction = .manual
        return configuration
    }

    private func open(_ disk: SimulatedDisk) throws -> Store {
        try Store(openingAt: "/store", configuration: configuration(disk))
    }

    private func with<R>(_ disk: SimulatedDisk, _ body: (Store) async throws -> R) async throws -> R {
        let store = try open(disk)
        let result = try await body(store)
        try await store.close()
        return result
    }

    private func logs(_ disk: SimulatedDisk) throws -> [String] {
        try disk.contents(ofDirectory: "/store").filter { $0.hasSuffix(".log") }.sorted()
    }

    /// A store whose newest segment is closed and holds nothing. Its last number is 1.
    private func vacant() async throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        _ = try await with(disk) { try await $0.put("a", "1") }
        _ = try await with(disk) { try await $0.compact() }
        return disk
    }

    private func fill(_ disk: SimulatedDisk, except left: UInt64) {
        disk.capacity = 1 << 40
        disk.capacity -= disk.availableBytes(at: "/store")! - left
    }

    @Test func numbersContinueAfterEveryOrderlyEnd() async throws {
        let disk = try await vacant()
        #expect(try await with(disk) { try await $0.put("b", "2") } == 2)
        // Openings that write nothing, and a compaction with nothing to do.
        try await with(disk) { _ in }
        _ = try await with(disk) { try await $0.compact() }
        _ = try await with(disk) { try await $0.compact() }
        try await with(disk) { _ in }
        #expect(try await with(disk) { try await $0.put("c", "3", expires: .after(.seconds(1))) } == 3)
        // Compactions that only drop what has expired.
        _ = try await with(disk) { try await $0.compact() }
        clock.advance(by: 1_000)
        let report = try await with(disk) { try await $0.compact() }
        #expect(report.snapshot?.keys == 2)
        // A compaction after the last write of an opening, and a condition that doesn't hold.
        try await with(disk) { (store) async throws in
            #expect(try await store.put("d", "4") == 4)
            try await store.compact()
            await expectError(.conflict) { _ = try await store.put("d", "5", if: .absent) }
        }
        await expectError(.conflict) { _ = try await with(disk) { try await $0.put("d", "5", if: .absent) } }
        try await with(disk) { (store) async throws in
            #expect(store.recoveryReport.tail == .closed && store.statistics.lastSequence == 4)
            #expect(try await store.put("e", "5") == 5 as SequenceNumber)
            #expect(try store.get("e") == Array("5".utf8))
        }
        let count = try await with(disk) { try $0.readView().count(in: .all) }
        #expect(count == 4)
    }

    @Test func aRefusedWriteLeavesNoGap() async throws {
        let disk = SimulatedDisk()
        _ = try await with(disk) { try await $0.put("a", "1") }
        // Its segment is made, and then the disk has no space for the write.
        fill(disk, except: 700 << 10)
        await expectError(.outOfSpace) {
            _ = try await with(disk) { try await $0.put("b", [UInt8](repeating: 1, count: 900 << 10)) }
        }
        disk.capacity = .max
        #expect(try await with(disk) { try await $0.put("b", "2") } == 2)
    }

    /// Without the mark that follows the closing one, a crash would be taken for an orderly end.
    @Test func noNumberIsGivenAgainAfterACrash() async throws {
        let disk = try await vacant()
        let events = disk.trace.events.count
        let store = try open(disk)
        #expect(try logs(disk) == ["0000000000000002.log"])
        #expect(try await store.put("b", "2", durability: .buffered) == 2)
        #expect(try logs(disk) == ["0000000000000002.log"])
        disk.note("accepted")
        store.settle()
        for crash in disk.trace.crashStates(in: events..<disk.trace.events.count + 1, limit: 8) {
            let again = try open(SimulatedDisk(image: crash.image))
            let number = try await again.put("c", "3")
            #expect(number > (crash.notes(of: String.self).isEmpty ? 0 : 2), "\(crash.state)")
        }
        withExtendedLifetime(store) {}
    }

    @Test func aFullDiskAcceptsARemoval() async throws {
        let disk = try await vacant()
        fill(disk, except: 0)
        try await with(disk) { (store) async throws in
            await expectError(.outOfSpace) { _ = try await store.put("b", "2") }
            #expect(try await store.remove("a") == 2)
        }
        disk.capacity = .max
        #expect(try await with(disk) { try await $0.put("b", "2") } == 3)
    }

    @Test(arguments: [ValueReading.positioned, .mapped], [LogWriting.calls, .mapped])
    func readersFollowInTheSameFile(_ reading: ValueReading, _ writing: LogWriting) async throws {
        let disk = try await vacant()
        var configuration = configuration(disk)
        (configuration.valueReading, configuration.logWriting) = (reading, writing)
        let beside = try ReadOnlyStore(openingAt: "/store", level: .visible, configuration: configuration)
        var besideFeed = beside.changes(after: beside.position, level: .visible).makeAsyncIterator()
        let store = try Store(openingAt: "/store", configuration: configuration)
        var feed = store.changes(level: .visible).makeAsyncIterator()
        for number in 2...12 as ClosedRange<UInt64> {
            let key = "key\(number)"
            #expect(try await store.put(key, key, durability: .written) == number)
            let (change, other) = (try await feed.next(), try await besideFeed.next())
            #expect(change?.sequence == number && other?.sequence == number)
            try beside.refresh()
            #expect(try beside.get(key) == Array(key.utf8))
            #expect(try store.get(key) == Array(key.utf8))
        }
        try await store.compact()
        #expect(try store.get("key7") == Array("key7".utf8))
        try await store.close()
        #expect(try await with(disk) { try await $0.put("more", "") } == 13)
    }

    @Test func whatAnEarlierOpeningLeftIsRemoved() async throws {
        let disk = try await vacant()
        try disk.openFile("/store/spare.log.tmp", for: .create).close()
        var configuration = configuration(disk)
        configuration.logRetention = .everything
        let store = try Store(openingAt: "/store", configuration: configuration)
        try await store.put("b", "2")
        let names = try disk.contents(ofDirectory: "/store")
        #expect(!names.contains("spare.log.tmp") && names.contains("KEEP-LOG"))
        try await store.close()
    }
}
