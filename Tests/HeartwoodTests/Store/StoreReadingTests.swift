import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// All forms of reading, by calls and from mapped files: records in the buffer, in the current segment and in older
/// segments.
@Suite struct StoreReadingTests {
    static let modes: [ValueReading] = [.positioned, .mapped]

    /// A store of numbered keys in several segments, with values of many sizes.
    private func withFilledStore(
        _ reading: ValueReading, _ body: (Store, [(key: [UInt8], value: [UInt8])]) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        var configuration = Store.Configuration(in: POSIXFileSystem(), segmentBytes: 256 << 10)
        configuration.valueReading = reading
        configuration.durability = .buffered
        let sizes = [0, 1, 100, 4_050, 4_100, 20_000, 70_000, 300_000]
        let entries = (0..<200).map { number -> (key: [UInt8], value: [UInt8]) in
            let size = sizes[number % sizes.count]
            return (key: bigEndianKey(number * 3), value: [UInt8](repeating: UInt8(number), count: size))
        }
        let store = try await Store.open(at: directory.path("store"), configuration: configuration)
        var random = SeededRandom(1)
        for (key, value) in entries.shuffled(using: &random) { try await store.put(key, value) }
        try await body(store, entries)
        try await store.sync()
        try await body(store, entries)
        try await store.close()
        let reopened = try await Store.open(at: directory.path("store"), configuration: configuration)
        try await body(reopened, entries)
        try await reopened.close()
    }

    @Test(arguments: modes)
    func everyFormReadsTheSame(reading: ValueReading) async throws {
        try await withFilledStore(reading) { store, entries in
            #expect(store.statistics.rotations > 3 || store.statistics.batches == 0)
            for (key, value) in entries {
                #expect(try store.get(key) == value)
                #expect(try store.withEntry(key) { value, _, _ in value.byteCount } == value.count)
            }
            let keys = entries.map(\.key) + [[0xFF]]
            #expect(try store.readView().get(all: keys.reversed()) == [nil] + entries.map(\.value).reversed())
            for reversed in [false, true] {
                var seen: [[UInt8]] = []
                try store.scan(reversed: reversed).forEach { key, value in
                    let key = key.withUnsafeBytes { [UInt8]($0) }
                    let expected = entries.first { $0.key == key }!.value
                    #expect(value.withUnsafeBytes { [UInt8]($0) } == expected)
                    seen.append(key)
                    return .next
                }
                #expect(seen == (reversed ? entries.map(\.key).reversed() : entries.map(\.key)))
                var scanned: [[UInt8]] = []
                for try await entry in store.scan(reversed: reversed) where entry.value.count < 1 << 20 {
                    scanned.append(entry.key)
                }
                #expect(scanned == seen)
            }
        }
    }

    @Test func forEachKeyEndsWhenTheBodyReturnsStop() async throws {
        try await withFilledStore(.positioned) { store, entries in
            var seen: [[UInt8]] = []
            try store.scan(.from(entries[10].key)).forEachKey { key in
                seen.append(key.withUnsafeBytes { [UInt8]($0) })
                return seen.count == 5 ? .stop : .next
            }
            #expect(seen == entries[10..<15].map(\.key))
        }
    }

    struct Stop: Error {}

    @Test func errorsOfTheBodyAreRethrown() async throws {
        try await withFilledStore(.mapped) { store, entries in
            #expect(throws: Stop.self) { try store.scan().forEach { _, _ in throw Stop() } }
            #expect(throws: Stop.self) { try store.scan().forEachKey { _ in throw Stop() } }
            #expect(throws: Stop.self) { try store.withEntry(entries[0].key) { _, _, _ in throw Stop() } }
        }
    }

    @Test func aDamagedRecordIsRefusedFromAMappingToo() async throws {
        let directory = TemporaryDirectory()
        var configuration = Store.Configuration()
        configuration.valueReading = .mapped
        let path = directory.path("store")
        try await Store.withStore(at: path, configuration: configuration) { store in
            try await store.put("key", "a value that will be damaged")
        }
        let reopened = try await Store.open(at: path, configuration: configuration)
        #expect(try reopened.get("key") == Array("a value that will be damaged".utf8))
        let fileSystem = POSIXFileSystem()
        let name = try fileSystem.contents(ofDirectory: path).first { $0.hasSuffix(".log") }!
        let file = try fileSystem.openFile(path + "/" + name, for: .readWrite)
        let bytes = Array("damaged bytes".utf8)
        try bytes.withUnsafeBytes { try file.writeFully($0, at: 4096 + 80) }
        #expect(throws: StoreError.self) { try reopened.get("key") }
        try await reopened.close()
    }
}
