import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// What a call accepts is read again, whatever the value: from memory, from the log and from a snapshot.
@Suite struct ExtremesTests {
    /// A time, a duration, and their sum, rounded up to milliseconds.
    private static let sums: [(UInt64, Duration, UInt64)] = [
        (10_000, .milliseconds(-1_500), 8_500), (10_000, .milliseconds(1) + .microseconds(1), 10_002),
        (10_000, .microseconds(1), 10_001), (10_000, .microseconds(-1), 10_000), (10_000, .milliseconds(1), 10_001),
        (10_000, .milliseconds(-1) + .microseconds(1), 10_000), (10_000, .milliseconds(-20_000), 0),
        (0, .milliseconds(UInt64.max), .max), (0, .milliseconds(UInt64.max) - .nanoseconds(1), .max),
        (0, .milliseconds(UInt64.max) - .milliseconds(1), .max - 1), (1, .milliseconds(UInt64.max), .max),
        (.max, .zero - .milliseconds(UInt64.max), 0), (.max, .milliseconds(1) - .milliseconds(UInt64.max), 1),
        (.max, .seconds(-10_000_000_000_000_000), 8_446_744_073_709_551_615),
        (1_000, .seconds(-9_223_372_036_854_775) - .milliseconds(900), 0),
        (0, .seconds(Int64.max), .max), (.max, .seconds(Int64.min), 0), (.max, .nanoseconds(-1), .max),
        (0, .seconds(Int64.max) * 10, .max), (.max, .seconds(Int64.min) * 10, 0),
    ]

    @Test func timesStayInTheirRange() {
        for (start, duration, sum) in Self.sums {
            #expect(Timestamp(milliseconds: start) + duration == Timestamp(milliseconds: sum), "\(start) + \(duration)")
        }
    }

    @Test func entriesAreReadAgain() async throws {
        let expiries: [(Expiry, Timestamp?)] = [
            (.never, nil), (.at(Timestamp(milliseconds: .max)), Timestamp(milliseconds: .max)),
            (.at(Timestamp(milliseconds: .max - 1)), Timestamp(milliseconds: .max - 1)),
            (.after(.seconds(Int64.max) * 10), Timestamp(milliseconds: .max)),
        ]
        let keys = [[0], [0xFF], [UInt8](repeating: 0, count: 65_535), [UInt8](repeating: 0xFF, count: 65_535)]
        let values = [[], [0], [UInt8](repeating: 7, count: 70_000)] as [[UInt8]]
        var configuration = Store.Configuration()
        configuration.fileSystem = SimulatedDisk(seed: 1)
        configuration.compaction = .manual
        configuration.compression = .zlib(level: 1)
        var store = try await Store.open(at: "/s", configuration: configuration)
        var wanted: [Entry] = []
        for (number, key) in keys.enumerated() {
            for (value, (expiry, time)) in zip(values + values, expiries + expiries) where value.count != number {
                let sequence = try await store.put(key, value, expires: expiry)
                let entry = Entry(key: key, value: value, sequence: sequence, expires: time)
                #expect(try store.entry(key) == entry)
                if wanted.last?.key == key { wanted.removeLast() }
                wanted.append(entry)
            }
        }
        wanted.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for _ in 0..<2 {
            try await store.close()
            store = try await Store.open(at: "/s", configuration: configuration)
            #expect(try store.scan(.all, limit: .max).entries() == wanted)
            try await store.compact()
        }
        for expiry in [.at(Timestamp(milliseconds: 0)), .after(.seconds(Int64.min) * 10)] as [Expiry] {
            try await store.put(keys[0], [1], expires: expiry)
            #expect(try store.entry(keys[0]) == nil)
        }
        for key in [[], keys[2] + [0]] { await expectError(.invalidArgument) { try await store.put(key, []) } }
        for sequence in [0, 1 << 63, .max] as [UInt64] {
            await expectError(.conflict) { try await store.put(keys[1], [], if: .sequence(sequence)) }
        }
        try await store.close()
    }

    @Test(arguments: [.seconds(Int64.max) * 10, .seconds(Int64.min), .zero])
    func intervalsOfCompactionsMayBeAny(_ interval: Duration) async throws {
        var configuration = Store.Configuration()
        configuration.compaction.interval = interval
        let store = try Store.inMemory(configuration: configuration)
        for number in 0..<100 { try await store.put("\(number)", "") }
        #expect(try store.contents().count == 100)
        try await store.close()
    }
}
