import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodTesting
import Synchronization
import Testing

@testable import Heartwood

/// Compactions concurrent with writers, readers and scans. CI also runs this under ThreadSanitizer.
@Suite(.serialized) struct CompactionConcurrencyTests {
    private static let keys = 300

    /// The state that the tasks share.
    private final class Board: Sendable {
        let isDone = Atomic(false)
        /// The round up to which all keys were written.
        let written = Atomic(0)
        let reads = Atomic(0)
    }

    /// While readers use them, mapped files are unmapped, and files that are read by calls are closed.
    @Test(arguments: [ValueReading.positioned, .mapped])
    func readersAndWritersAreNotAffected(reading: ValueReading) async throws {
        let directory = TemporaryDirectory()
        var configuration = Store.Configuration(
            in: POSIXFileSystem(), segmentBytes: 64 << 10, commitBufferBytes: 64 << 10)
        configuration.valueReading = reading
        configuration.compaction.minimumLogBytes = 60 << 10
        let store = try await Store.open(at: directory.path("store"), configuration: configuration)
        for number in 0..<Self.keys {
            try await store.put("key/\(number)", Self.value(0, number), durability: .buffered)
        }
        let board = Board()
        // Threads, because the readers would occupy all threads of the tasks.
        let readers = try [Self.readSingleKeys, Self.scan].map { read in
            try startThread(name: "reader") {
                do { try read(store, board) } catch { Issue.record(error) }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.write(store, board) }
            group.addTask {
                defer { board.isDone.store(true, ordering: .releasing) }
                for _ in 0..<6 { try await store.compact() }
            }
            try await group.waitForAll()
        }
        for reader in readers { reader.join() }
        #expect(board.reads.load(ordering: .relaxed) > 0)
        #expect(store.log.index.checkInvariants() == nil)
        try await store.close()
        let again = try await Store.open(at: directory.path("store"), configuration: configuration)
        #expect(again.statistics.keys == Self.keys)
        try await again.close()
    }

    private static func value(_ round: Int, _ number: Int) -> String {
        "\(round)/" + String(repeating: "x", count: 40 + number % 200)
    }

    private static func round(_ value: [UInt8]) -> Int {
        Int(String(decoding: value.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)) ?? -1
    }

    private static func write(_ store: Store, _ board: Board) async throws {
        var round = 0
        while !board.isDone.load(ordering: .acquiring) {
            round += 1
            for number in 0..<keys {
                let durability: Durability = number % 100 == 0 ? .synced : .buffered
                try await store.put("key/\(number)", value(round, number), durability: durability)
            }
            board.written.store(round, ordering: .releasing)
        }
    }

    private static func readSingleKeys(_ store: Store, _ board: Board) throws {
        var random = SplitMix64(seed: 5)
        while !board.isDone.load(ordering: .acquiring) {
            let least = board.written.load(ordering: .acquiring)
            let number = Int.random(in: 0..<keys, using: &random)
            let value = try #require(try store.get("key/\(number)"))
            #expect(round(value) >= least)
            let length = try store.withEntry("key/\(number)") { value, _, _ in value.byteCount }
            #expect(length.map { $0 > 40 } ?? false)
            board.reads.add(1, ordering: .relaxed)
        }
    }

    /// A read view has all keys, of one round and the next.
    private static func scan(_ store: Store, _ board: Board) throws {
        while !board.isDone.load(ordering: .acquiring) {
            let least = board.written.load(ordering: .acquiring)
            let view = try store.readView()
            var rounds: Set<Int> = []
            var count = 0
            for _ in 0..<2 {
                for entry in try view.scan().entries() {
                    rounds.insert(round(entry.value))
                    count += 1
                }
            }
            #expect(count == 2 * keys)
            #expect(rounds.min()! >= least && rounds.max()! - rounds.min()! <= 1)
        }
    }

    /// A segment that is empty when compaction requests a boundary may get its first record before the boundary is
    /// set. The rotation then needs a file that was not prepared.
    @Test func aWriteMayComeBetweenABoundaryAndItsRotation() async throws {
        let clock = ManualClock(milliseconds: 1_000)
        var configuration = Store.Configuration(in: InMemoryFileSystem())
        configuration.clock = clock
        let store = try await Store.open(at: "/store", configuration: configuration)
        for round in 0..<1_000 as Range<UInt64> {
            // The expired key is all that the next compaction has to remove.
            let expiry = Timestamp(milliseconds: 1_001 + round)
            try await store.put("expires", "1", expires: .at(expiry), durability: .buffered)
            try await store.compact()
            clock.set(1_001 + round)
            async let report = store.compact()
            // Wait for a different time in each round.
            for _ in 0..<round % 50 * 4 { _ = store.state }
            try await store.put("key", "\(round)", durability: .buffered)
            _ = try await report
        }
        #expect(try store.get("key") == Array("999".utf8) && store.get("expires") == nil)
        try await store.close()
    }
}
