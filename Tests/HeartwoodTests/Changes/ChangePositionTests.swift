import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Positions, and what a feed says of those that it can't continue from.
@Suite(.timeLimit(.minutes(5))) struct ChangePositionTests {
    private let fixture = CompactionFixture()

    @Test func arePrintedAndParsed() throws {
        let position = ChangePosition(store: StoreID(low: 0x1122_3344_5566_7788, high: 9), sequence: 1 << 32)
        #expect("\(position)" == "88776655443322110900000000000000-4294967296")
        #expect(ChangePosition("\(position)") == position)
        for text in [
            "", "-", "1-2", "\(position.store)-", "\(position.store)", "\(position)0000000000000", "\(position) ",
        ] {
            #expect(ChangePosition(text) == nil, "\(text)")
        }
        for sign in ["+", "-", "_"] { #expect(ChangePosition("\(position.store)-\(sign)1") == nil) }
        let later = ChangePosition(store: position.store, sequence: position.sequence + 1)
        #expect(position.precedes(later) == true && later.precedes(position) == false)
        #expect(position.precedes(ChangePosition(store: StoreID(low: 1, high: 1), sequence: 0)) == nil)
    }

    private func refusal(_ changes: Changes) async -> StoreError? {
        await #expect(throws: StoreError.self) { for try await _ in changes { break } }
    }

    /// No number is after the last one, so nothing may be added to it.
    @Test(arguments: [2, 1 << 63, .max - 1, .max] as [SequenceNumber])
    func ofAnotherStoreOrAfterTheNewestWriteIsRefused(_ sequence: SequenceNumber) async throws {
        let store = try await fixture.open()
        try await store.put("a", "1")
        let reader = try fixture.openReader(.visible)
        let foreign = ChangePosition(store: StoreID(low: 1, high: 2), sequence: 1)
        let future = ChangePosition(store: store.id, sequence: sequence)
        #expect(ChangePosition("\(future)") == future)
        for position in [foreign, future] {
            for changes in [store.changes(after: position), reader.changes(after: position)] {
                let error = await refusal(changes)
                #expect(error?.code == .positionUnavailable && error?.restart == store.position)
            }
        }
        try await store.close()
    }

    @Test func whoseLogWasRemovedIsRefusedWithTheEarliest() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<200)
        let position = store.position
        try await store.compact()
        let error = await refusal(store.changes(after: store.beginning))
        #expect(error?.code == .positionUnavailable && error?.restart == position)
        // From there on, it works.
        try await store.put("a", "1")
        var feed = store.changes(after: error?.restart).makeAsyncIterator()
        #expect(try await feed.next()?.key == Array("a".utf8))
        try await store.close()
    }

    /// A feed that is slow reads the segment that it has open to its end, and then says that it was overtaken.
    @Test func aFeedThatWasOvertakenSaysSo() async throws {
        let store = try await fixture.open { $0.compaction = .manual }
        try await fixture.fill(store, 0..<5_000)
        var feed = store.changes(after: store.beginning).makeAsyncIterator()
        #expect(try await feed.next()?.sequence == 1)
        try await store.compact()
        #expect(fixture.logs.count == 1)
        var last: SequenceNumber = 1
        let error = await #expect(throws: StoreError.self) {
            while let change = try await feed.next() {
                #expect(change.sequence == last + 1)
                last = change.sequence
            }
        }
        #expect(error?.code == .positionUnavailable && last < 5_000)
        try await store.close()
    }

    /// Writes that were visible and that a crash took back: their positions are no longer in the log.
    @Test func ofLostWritesIsRefused() async throws {
        let disk = SimulatedDisk(seed: 3)
        var configuration = Store.Configuration(in: disk)
        configuration.timing.sync = .max
        let store = try await Store.open(at: "/store", configuration: configuration)
        try await store.put("a", "1")
        try await store.put("b", "2", durability: .buffered)
        let lost = try await store.put("c", "3", durability: .buffered)
        let crashed = disk.crash()
        try await store.close()
        configuration.fileSystem = SimulatedDisk(image: crashed.image)
        let again = try await Store.open(at: "/store", configuration: configuration)
        #expect(again.id == store.id)
        try await again.put("d", "4")
        let error = await refusal(again.changes(after: ChangePosition(store: again.id, sequence: lost)))
        #expect(error?.code == .positionUnavailable)
        var feed = again.changes(after: ChangePosition(store: again.id, sequence: 1)).makeAsyncIterator()
        let change = try #require(try await feed.next())
        #expect(change.key == Array("d".utf8) && change.sequence == 1 << 32)
        #expect(again.changes(after: ChangePosition(store: again.id, sequence: (1 << 32) - 1)).position.sequence > lost)
        try await again.close()
    }
}
