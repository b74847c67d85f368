import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Reading the files of a store that is open elsewhere.
@Suite(.timeLimit(.minutes(5))) struct ReadOnlyStoreTests {
    private let fixture = CompactionFixture()

    private func contents(_ store: ReadOnlyStore) throws -> [[UInt8]: [UInt8]] {
        try StoreReplica(store.readView()).everything
    }

    @Test func showsOneStateUntilItIsRefreshed() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<100)
        let reader = try fixture.openReader(.visible)
        #expect(reader.position == store.position && reader.id == store.id)
        let before = try store.everything()
        #expect(try contents(reader) == before)
        let view = try reader.readView()
        try await fixture.fill(store, 50..<120, round: 1)
        try await store.remove("key/7")
        #expect(try contents(reader) == before)
        let refresh = try await reader.refresh()
        #expect(refresh.from.sequence == 100 && refresh.to == store.position && !refresh.isReadAgain)
        #expect(try contents(reader) == store.everything())
        #expect(try reader.get("key/7") == nil && reader.contains("key/8"))
        #expect(try await reader.fetch("key/8") == store.get("key/8"))
        #expect(try reader.entry("key/8") == store.entry("key/8"))
        #expect(try StoreReplica(view).everything == before)
        #expect(try await reader.refresh().to == refresh.to)
        try await store.close()
    }

    /// A refresh gives up files that compaction has deleted, also if the log could be followed without them: their
    /// space is free only then.
    @Test func aRefreshReleasesDeletedFiles() async throws {
        let directory = TemporaryDirectory()
        let store = try await Store.open(at: directory.path("store"))
        for number in 0..<10 { try await store.put("key/\(number)", "value") }
        let reader = try ReadOnlyStore(openingAt: directory.path("store"), level: .visible)
        try await store.compact()
        try await store.put("key/1", "new")
        #expect(try await reader.refresh().isReadAgain)
        #expect(try reader.get("key/1") == Array("new".utf8))
        #expect(reader.statistics.snapshot != nil && reader.statistics.files == 2)
        #expect(try await !reader.refresh().isReadAgain)
        try await store.close()
    }

    /// With `.durable`, it shows only what the files prove to be on the disk.
    @Test func showsOnlyWhatIsProvenDurable() async throws {
        let store = try await fixture.open { $0.timing.sync = .max }
        try await store.put("a", "1")
        let reader = try fixture.openReader()
        try await store.put("b", "2", durability: .written)
        try await store.put("c", "3", durability: .written)
        try await reader.refresh()
        #expect(reader.position.sequence <= 1)
        #expect(try fixture.openReader(.visible).position.sequence == 3)
        try await store.sync()
        // The next commit says that the ones before are on the disk.
        try await store.put("d", "4", durability: .written)
        try await reader.refresh()
        #expect(reader.position.sequence == 3)
        try await store.close()
        try await reader.refresh()
        #expect(reader.position.sequence == 4)
    }

    @Test(arguments: [ChangeLevel.durable, .visible])
    func followsTheFiles(level: ChangeLevel) async throws {
        var store = try await fixture.open()
        try await fixture.fill(store, 0..<50)
        let reader = try fixture.openReader(level)
        var replica = try StoreReplica(reader.readView())
        var feed = reader.changes().makeAsyncIterator()
        for round in 1...3 {
            try await fixture.fill(store, 0..<100, round: round)
            try await store.remove("key/\(round)")
            let last = store.position.sequence
            if round == 2 {
                try await store.close()
                store = try await fixture.open()
            } else if level == .durable {
                try await store.put("mark", "\(round)")
            }
            try await replica.follow(&feed, to: last)
        }
        let contents = try store.everything()
        let last = store.position.sequence
        try await store.close()
        try await replica.follow(&feed, to: last)
        #expect(replica.everything == contents)
    }

    @Test func aFeedWhoseLogIsGoneSaysSo() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<300)
        let reader = try fixture.openReader(.visible)
        try await store.put("a", "1")
        try await store.compact()
        try await store.put("b", "2")
        var feed = reader.changes(after: ChangePosition(store: reader.id, sequence: 5)).makeAsyncIterator()
        let error = await #expect(throws: StoreError.self) { try await feed.next() }
        #expect(error?.code == .positionUnavailable && error?.restart?.sequence == 301)
        try await store.close()
    }

    @Test func readsAnEmptyStoreAndRefusesWhatIsNone() async throws {
        #expect(throws: StoreError.self) { try fixture.openReader() }
        let store = try await fixture.open()
        let reader = try fixture.openReader()
        #expect(try contents(reader).isEmpty && reader.position.sequence == 0)
        var feed = reader.changes().makeAsyncIterator()
        let refusal = await #expect(throws: StoreError.self) { try await feed.next() }
        #expect(refusal?.code == .positionUnavailable)
        try await store.put("a", "1")
        try await store.close()
        #expect(try await reader.refresh().to == ChangePosition(store: store.id, sequence: 1))
        #expect(try reader.get("a") == Array("1".utf8))
        reader.close()
        let error = #expect(throws: StoreError.self) { try reader.get("a") }
        #expect(error?.code == .closed)
        await #expect(throws: StoreError.self) { try await reader.refresh() }
    }

    /// The index and the files of a store in progress: after each of many random writes, the reader's state is that of
    /// its number.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func everyStateIsTheModelsStateOfItsNumber(seed: UInt64) async throws {
        var random = SeededRandom(seed, 21)
        let configure = { (configuration: inout Store.Configuration) in
            if seed % 2 == 0 { configuration.valueReading = .mapped }
            if seed % 3 == 0 { configuration.compression = .zlib(threshold: 64) }
        }
        var store = try await fixture.open(configure)
        var model: [[UInt8]: [UInt8]] = [:]
        var states: [SequenceNumber: [[UInt8]: [UInt8]]] = [0: [:]]
        let level: ChangeLevel = seed % 4 < 2 ? .visible : .durable
        var reader: ReadOnlyStore?
        for _ in 0..<120 {
            var changes: [([UInt8], [UInt8]?)] = []
            for _ in 0..<random.number(in: 1...6) {
                let key = Array("key/\(random.below(40))".utf8)
                changes.append(
                    (
                        key,
                        random.oneIn(4) ? nil : [UInt8](repeating: UInt8(random.below(256)), count: random.below(700))
                    ))
            }
            let durability = random.pick([Durability.buffered, .written, .synced])
            let sequence = try await store.write(durability: durability) { [changes] batch in
                for (key, value) in changes {
                    if let value { batch.put(key, value) } else { batch.remove(key) }
                }
            }
            for (key, value) in changes { model[key] = value }
            states[sequence] = model
            if random.oneIn(30) { try await store.compact() }
            if random.oneIn(25) {
                try await store.close()
                store = try await fixture.open(configure)
                states[store.position.sequence] = model
            }
            if reader == nil || random.oneIn(20) { reader = try fixture.openReader(level) }
            if random.oneIn(2) { try await reader!.refresh() }
            let position = try #require(reader).position
            #expect(try contents(reader!) == states[position.sequence], "seed \(seed), at \(position.sequence)")
        }
        try await store.close()
        try await reader!.refresh()
        #expect(try contents(reader!) == model)
    }
}
