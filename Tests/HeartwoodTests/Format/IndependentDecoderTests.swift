import Foundation
import Heartwood
import HeartwoodFormat
import Testing

/// A reader in another language, written from `Documentation/FileFormat.md`, reads what the engine reads.
@Suite(.enabled(if: IndependentDecoder.isAvailable, "python3 (3.9 or newer, with zlib) is not installed"))
struct IndependentDecoderTests {
    let directory = TemporaryDirectory()

    private typealias Pair = IndependentDecoder.Pair

    private func pairs(of store: Store) throws -> [Pair] {
        var pairs: [Pair] = []
        for entry in try store.scan().entries() {
            pairs.append(Pair(key: entry.key, value: entry.value, expires: entry.expires?.milliseconds))
        }
        return pairs
    }

    private func expectSame(
        _ path: String, _ expected: [Pair], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await IndependentDecoder.run(path, scratch: directory)
        #expect(outcome.code == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        let found = try outcome.pairs()
        #expect(found.count == expected.count, sourceLocation: sourceLocation)
        for (found, expected) in zip(found, expected) where found != expected {
            Issue.record("read \(found) where the engine reads \(expected)", sourceLocation: sourceLocation)
            return
        }
    }

    private func configuration(compressing: Bool) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.segmentBytes = 16 << 10
        configuration.compression = compressing ? .zlib(level: 6, threshold: 64) : .off
        configuration.durability = .written
        return configuration
    }

    /// Random writes in several openings of one store, with compactions in between, some of which keep the log that
    /// they cover. Each opening ends with a close, or the store is dropped.
    @Test(arguments: 1...4 as ClosedRange<UInt64>, [false, true])
    func randomStoresReadTheSame(seed: UInt64, compacts: Bool) async throws {
        var random = SplitMix64(seed: seed)
        let path = directory.path("store")
        for opening in 0..<4 {
            var configuration = configuration(compressing: opening % 2 == 0)
            configuration.logRetention = Bool.random(using: &random) ? .everything : .none
            configuration.compaction = .manual
            var store: Store? = try await Store.open(at: path, configuration: configuration)
            for part in 0..<3 {
                for _ in 0..<20 { try await write(to: store!, &random) }
                guard compacts, part < 2 else { continue }
                try await store!.compact()
                try await expectSame(path, pairs(of: store!))
            }
            if Bool.random(using: &random) { try await store!.sync() }
            let expected = try pairs(of: store!)
            if Bool.random(using: &random) { try await store!.close() }
            store = nil
            #expect(expected.count > 20)
            try await expectSame(path, expected)
        }
        #expect(compacts || TemporaryDirectory.segments(of: path).count > 4)
    }

    private func write(to store: Store, _ random: inout SplitMix64) async throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            try await store.remove(key(&random))
        case 2, 3:
            var batch = store.makeBatch()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    batch.remove(key(&random))
                } else {
                    batch.put(key(&random), value(&random), expires: expiry(&random))
                }
            }
            try await store.write(batch)
        case 4:
            try await store.put(key(&random), value(&random), durability: .synced)
        default:
            try await store.put(key(&random), value(&random), expires: expiry(&random))
        }
    }

    /// One of 200 keys: text, bytes that are no text, and long keys.
    private func key(_ random: inout SplitMix64) -> [UInt8] {
        let number = Int.random(in: 0..<200, using: &random)
        switch number % 5 {
        case 0: return [0xFF, 0, UInt8(number)]
        case 1: return Array("schlüssel \(number) \u{1F332} \"\\\n".utf8)
        case 2: return [UInt8](repeating: UInt8(number), count: 1 + number * 3)
        default: return Array("key:\(number)".utf8)
        }
    }

    private func value(_ random: inout SplitMix64) -> [UInt8] {
        let count = Int.random(in: 0..<600, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return []
        case 1: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 2: return Array(String(repeating: "{\"name\":\"Ä\"}", count: count / 13).utf8)
        default: return Array("value \(count)".utf8)
        }
    }

    private func expiry(_ random: inout SplitMix64) -> Expiry {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .at(Timestamp(milliseconds: 4_102_444_800_000 + UInt64(Int.random(in: 0..<1000, using: &random))))
        case 1: .at(Timestamp(milliseconds: 1_000_000_000_000))
        default: .never
        }
    }

    @Test func manyKeysInASnapshotReadTheSame() async throws {
        var random = SplitMix64(seed: 5)
        let path = directory.path("many")
        var configuration = configuration(compressing: false)
        configuration.durability = .buffered
        configuration.segmentBytes = 1 << 20
        let store = try await Store.open(at: path, configuration: configuration)
        for number in 0..<4_000 {
            let key =
                "\(number * 7919 % 4_000)/" + String(repeating: "k", count: Int.random(in: 0..<60, using: &random))
            try await store.put(key, "\(number)", expires: expiry(&random))
        }
        try await store.compact()
        let expected = try pairs(of: store)
        try await store.close()
        try await expectSame(path, expected)
    }

    @Test func anEmptyStoreReadsTheSame() async throws {
        let path = directory.path("empty")
        try await Store.withStore(at: path, configuration: configuration(compressing: false)) { _ in }
        try await expectSame(path, [])
    }

    @Test func aLargeValueReadsTheSame() async throws {
        let path = directory.path("large")
        let value = [UInt8](repeating: 0x61, count: 300_000) + [0xFF]
        try await Store.withStore(at: path, configuration: configuration(compressing: true)) { store in
            _ = try await store.put("compressed", value)
        }
        try await Store.withStore(at: path, configuration: configuration(compressing: false)) { store in
            _ = try await store.put("as it is", value)
        }
        try await expectSame(
            path, [Pair(key: Array("as it is".utf8), value: value), Pair(key: Array("compressed".utf8), value: value)])
    }

    /// Both refuse the same damaged stores, at the same offset of the same file.
    @Test(arguments: GoldenStore.all)
    func goldenStoresReadTheSame(golden: GoldenStore) async throws {
        let copy = try directory.copy(golden.path, to: golden.name)
        let outcome = try await IndependentDecoder.run(
            copy, now: GoldenStore.time, scratch: directory)
        do {
            let store = try await Store.open(at: copy, configuration: GoldenStore.configuration())
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try outcome.pairs() == pairs(of: store))
            try await store.close()
        } catch let error as StoreError {
            #expect(outcome.code == 2)
            #expect(outcome.output.isEmpty)
            let location = "\(try #require(error.file)): offset \(try #require(error.offset)): "
            #expect(outcome.errors.hasPrefix(location), "\(outcome.errors), not \(location)")
            #expect(outcome.errors.contains("unsupported") == (error.code == .unsupportedFormat))
        }
    }
}
