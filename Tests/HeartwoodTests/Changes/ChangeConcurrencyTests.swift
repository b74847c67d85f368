import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Feeds and read-only stores beside writers and compactions. ThreadSanitizer runs these, too.
@Suite(.timeLimit(.minutes(5))) struct ChangeConcurrencyTests {
    private func write(to store: Store, task: Int) async throws {
        var random = SeededRandom(7, UInt64(task))
        for number in 0..<250 {
            let durability = random.pick([Durability.buffered, .written, .synced])
            if random.oneIn(4) {
                try await store.write(durability: durability) { batch in
                    for part in 0..<4 { batch.put("\(task)/\(random.below(30))", "\(number) \(part)") }
                    batch.remove("\(task)/\(random.below(30))")
                }
            } else {
                try await store.put("\(task)/\(random.below(30))", "\(number)", durability: durability)
            }
            if task == 0, number % 60 == 59 { try await store.compact() }
        }
    }

    private func follow(_ store: Store, _ level: ChangeLevel) async throws -> [[UInt8]: [UInt8]] {
        let following = try await store.follow(level: level)
        var replica = try StoreReplica(following.view)
        for try await change in following.changes { try replica.apply(change) }
        return replica.everything
    }

    @Test func copiesEndEqualToTheStore() async throws {
        let directory = TemporaryDirectory()
        var configuration = Store.Configuration()
        configuration.segmentBytes = 16 << 10
        configuration.logRetention = .everything
        let store = try await Store.open(at: directory.path + "/store", configuration: configuration)
        let copies = [ChangeLevel.durable, .visible, .durable].map { level in
            Task { try await follow(store, level) }
        }
        let reader = Task {
            let reader = try await ReadOnlyStore.open(at: directory.path + "/store", level: .visible)
            while !Task.isCancelled {
                try await reader.refresh()
                let view = try reader.readView()
                #expect(try view.scan().keys.reduce(0) { count, _ in count + 1 } <= 120)
            }
            try await reader.refresh()
            return try StoreReplica(reader.readView()).everything
        }
        try await concurrently(0..<4) { task in try await write(to: store, task: task) }
        let contents = try store.everything()
        try await store.close()
        reader.cancel()
        for copy in copies { #expect(try await copy.value == contents) }
        #expect(try await reader.value == contents)
    }
}
