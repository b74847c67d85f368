import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Reads of records of all sizes, in all locations, and scans over them in both directions.
@Suite struct RecordWalkTests {
    /// A value that depends on the key and the length.
    private static func value(_ number: Int, _ length: Int) -> [UInt8] {
        bigEndianKey(number * 1_000_003 + length).prefix(length)
            + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: max(0, length - 8))
    }

    private func configuration(_ reading: ValueReading, _ fileSystem: any FileSystem) -> Store.Configuration {
        var configuration = Store.Configuration(in: fileSystem, segmentBytes: 1 << 20)
        configuration.valueReading = reading
        configuration.delays = .manual(ManualDelays())
        return configuration
    }

    private func check(_ store: Store, _ expected: [Int: Int], _ context: String) throws {
        let keys = expected.keys.sorted()
        let values = keys.map { Self.value($0, expected[$0]!) }
        for (key, value) in zip(keys, values) {
            try #require(try store.get(bigEndianKey(key)) == value, "\(context)")
            let length = try store.withEntry(bigEndianKey(key)) { value, _, _ in value.byteCount }
            try #require(length == value.count, "\(context)")
        }
        let all = try store.readView().get(all: keys.reversed().map(bigEndianKey) + [[0xFF]])
        try #require(all == values.reversed() + [nil], "\(context)")
        for reversed in [false, true] {
            for (lower, upper) in [(0, keys.count), (keys.count / 3, keys.count / 2), (5, 6), (7, 7)] {
                let range = KeyRange(
                    lower: .included(bigEndianKey(keys[lower])),
                    upper: upper < keys.count ? .excluded(bigEndianKey(keys[upper])) : .unbounded)
                var wanted = reversed ? Array(keys[lower..<upper].reversed()) : Array(keys[lower..<upper])
                wanted.reverse()
                try store.scan(range, reversed: reversed).forEach { key, value in
                    let next = wanted.popLast()
                    let number = try #require(next, "\(context)")
                    try #require(key.withUnsafeBytes { [UInt8]($0) } == bigEndianKey(number), "\(context)")
                    let length = try #require(expected[number])
                    try #require(value.withUnsafeBytes { [UInt8]($0) } == Self.value(number, length), "\(context)")
                    return .next
                }
                try #require(wanted.isEmpty, "\(context)")
            }
        }
    }

    /// Written in key order and shuffled; pending and in files; mapped and read by calls.
    @Test(arguments: [ValueReading.positioned, .mapped], [false, true])
    func recordsOfAllSizesInAllLocations(reading: ValueReading, isShuffled: Bool) async throws {
        var random = SplitMix64(fromEnvironmentFor: "RecordWalkTests")
        let directory = TemporaryDirectory()
        let configuration = configuration(reading, POSIXFileSystem())
        let lengths = [0, 1, 100, 4_000, 4_060, 4_088, 4_100, 5_000, 9_000, 65_000, 66_000, 262_000, 263_000, 300_000]
        var expected: [Int: Int] = [:]
        var store = try await Store.open(at: directory.path("s"), configuration: configuration)
        for part in 0..<4 {
            var numbers = Array(part * 200..<part * 200 + 200)
            if isShuffled { numbers.shuffle(using: &random) }
            for number in numbers {
                // Mostly small values: many are read at a time.
                let length = Int.random(in: 0..<12, using: &random) == 0 ? lengths.randomElement(using: &random)! : 40
                expected[number] = length
                try await store.put(bigEndianKey(number), Self.value(number, length), durability: .buffered)
            }
            try check(store, expected, "seed \(random.seed), part \(part), pending")
            // Overwrite some values, so that records lie apart from their neighbours.
            for number in numbers.prefix(20) {
                expected[number] = 50
                try await store.put(bigEndianKey(number), Self.value(number, 50), durability: .buffered)
            }
            try await store.sync()
            try check(store, expected, "seed \(random.seed), part \(part), written")
            guard part % 2 == 1 else { continue }
            try await store.close()
            store = try await Store.open(at: directory.path("s"), configuration: configuration)
            try check(store, expected, "seed \(random.seed), part \(part), opened")
        }
        try await store.close()
    }

    /// Bytes after a record that were read with it, before another record was written there, are not that record.
    @Test func recordsWrittenDuringAScanAreReadFromTheFile() async throws {
        let delays = ManualDelays()
        var configuration = configuration(.positioned, InMemoryFileSystem())
        configuration.delays = .manual(delays)
        let store = try Store(openingAt: "/s", configuration: configuration)
        // The location of a large record gives its length to a sixteenth only, so more bytes are read than it has.
        try await store.put("a", [UInt8](repeating: 1, count: 65_600))
        try await store.put("b", [UInt8](repeating: 2, count: 10), durability: .buffered)
        var values: [Int] = []
        try store.scan().forEach { _, value in
            values.append(value.byteCount)
            store.moveDelays(delays, by: 1_000_000_000)
            return .next
        }
        #expect(values == [65_600, 10])
        try await store.close()
    }

    struct Stop: Error {}

    /// The body of a scan ends it, or its error is rethrown.
    @Test func theBodyEndsAScan() async throws {
        let store = try Store.inMemory()
        for number in 0..<20 { try await store.put(bigEndianKey(number), "value") }
        var seen: [[UInt8]] = []
        try store.scan(.from(bigEndianKey(10))).forEachKey { key in
            seen.append(key.withUnsafeBytes { [UInt8]($0) })
            return seen.count == 5 ? .stop : .next
        }
        #expect(seen == (10..<15).map(bigEndianKey))
        #expect(throws: Stop.self) { try store.scan().forEach { _, _ in throw Stop() } }
        #expect(throws: Stop.self) { try store.scan().forEachKey { _ in throw Stop() } }
        #expect(throws: Stop.self) { try store.withEntry(bigEndianKey(1)) { _, _, _ in throw Stop() } }
    }

    @Test func aDamagedRecordIsRefusedFromAMappingToo() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let configuration = configuration(.mapped, POSIXFileSystem())
        try await Store.withStore(at: path, configuration: configuration) { store in
            try await store.put("key", "a value that will be damaged")
        }
        let reopened = try await Store.open(at: path, configuration: configuration)
        #expect(try reopened.get("key") == Array("a value that will be damaged".utf8))
        try POSIXFileSystem().flipBit(of: TemporaryDirectory.segments(of: path)[0], at: 4096 + 80)
        #expect(throws: StoreError.self) { try reopened.get("key") }
        try await reopened.close()
    }
}
