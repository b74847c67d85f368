import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// A store of small segments on a simulated disk, with its contents, for the tests of compaction.
struct CompactionFixture {
    let disk = SimulatedDisk(seed: 1)
    let clock = ManualClock(milliseconds: 1_700_000_000_000)
    let path = "/store"

    private var configuration: Store.Configuration {
        var configuration = Store.Configuration(in: disk, segmentBytes: 16 << 10, commitBufferBytes: 64 << 10)
        configuration.clock = clock
        configuration.timing.mark = .max
        return configuration
    }

    func open(_ change: (inout Store.Configuration) -> Void = { _ in }) async throws -> Store {
        var configuration = configuration
        change(&configuration)
        return try await Store.open(at: path, configuration: configuration)
    }

    /// Reads the store's files as another process does.
    func openReader(_ level: ChangeLevel = .durable) throws -> ReadOnlyStore {
        var configuration = Store.Configuration(in: ReadingOnly(disk))
        configuration.clock = clock
        return try ReadOnlyStore(openingAt: path, level: level, configuration: configuration)
    }

    /// Without the lock and the reserve.
    var files: [String] {
        (try? disk.contents(ofDirectory: path))?.filter { $0 != "LOCK" && !$0.hasPrefix("reserve-") } ?? []
    }
    var logs: [String] { files.filter { $0.hasSuffix(".log") } }
    var snapshots: [String] { files.filter { $0.hasSuffix(".snapshot") } }

    func fill(_ store: Store, _ numbers: Range<Int>, round: Int = 0) async throws {
        for number in numbers {
            try await store.put(
                "key/\(number)", ValuePattern(identity: UInt64(number * 100 + round), length: number % 900).bytes,
                durability: .buffered)
        }
        try await store.sync()
    }

    func expect(_ store: Store, _ numbers: Range<Int>, round: Int = 0) throws {
        for number in numbers {
            let value = try #require(try store.get("key/\(number)"), "key/\(number)")
            #expect(ValuePattern(identity: UInt64(number * 100 + round), length: number % 900).matches(value))
        }
    }
}
