internal import Foundation
internal import Heartwood
internal import Testing

@testable internal import heartwood_tool

/// A figure must fail if the data isn't what was written.
@Suite("bench: what is written is compared")
struct BenchCheckTests {
    private let sandbox: Sandbox
    private let values = BenchValues(byteCount: 100, seed: 7)
    private var path: String { sandbox.directory.appendingPathComponent("s").path }

    init() throws { sandbox = try Sandbox() }

    /// Writes pairs of a key's and a value's number, and compares them with the hundred expected ones.
    private func check(_ pairs: [(key: Int, value: Int)], foreign: String? = nil) async throws {
        try await Store.withStore(at: path) { store in
            for pair in pairs {
                try await store.put(BenchKey(pair.key), values[pair.value], durability: .buffered)
            }
            if let foreign { try await store.put(foreign, "value") }
        }
        try await StoreContents.numbered(100).check(path, values, .fillbatch)
    }

    private static let right = (0..<100).map { (key: $0, value: $0) }

    @Test("what was written passes")
    func passes() async throws {
        try await check(Self.right)
    }

    @Test("another value, a missing key, an extra key, and a foreign key fail", arguments: 0..<5)
    func differs(way: Int) async throws {
        var (pairs, foreign): ([(key: Int, value: Int)], String?) = (Self.right, nil)
        switch way {
        case 0: pairs[50].value = 51
        case 1: pairs.removeLast()
        case 2: pairs.append((100, 100))
        case 3: foreign = "a foreign key, sixteen"
        default: foreign = "sixteen bytes, so"
        }
        let mismatch = await #expect(throws: Mismatch.self) { try await check(pairs, foreign: foreign) }
        #expect(mismatch?.failure.status == .mismatch)
        #expect(mismatch?.failure.message.hasPrefix("fillbatch") == true)
    }

    @Test("a key has its number, and other bytes have none")
    func keys() {
        var seen: Set<[UInt8]> = []
        for number in [0, 1, 2, 4_711, 100_000_000, Int.max] {
            var bytes = BenchKey(number).byteArray
            #expect(bytes.count == BenchKey.byteCount && seen.insert(bytes).inserted)
            #expect(bytes.withUnsafeBytes { BenchKey.number(of: $0) } == number)
            for index in bytes.indices {
                bytes[index] ^= 1
                #expect(bytes.withUnsafeBytes { BenchKey.number(of: $0) } == nil)
                bytes[index] ^= 1
            }
            #expect(bytes.dropLast().withUnsafeBytes { BenchKey.number(of: $0) } == nil)
        }
    }

    @Test("alternating tasks leave what a dictionary has", arguments: [1, 4], [1, 7, 12, 100])
    func stripes(tasks: Int, most: Int) {
        let keys = 12
        // No two tasks put as many.
        let counts = (0..<tasks).map { max(1, most - 3 * $0) }
        var expected: [Int: Int] = [:]
        for (task, count) in counts.enumerated() {
            for index in 0..<count { expected[(task + tasks * index) % keys] = task + tasks * index }
        }
        let contents = StripedKeys(counts: counts, keys: keys).contents
        #expect(contents.keys == expected.count)
        for key in 0..<2 * keys { #expect(contents.value(key) == expected[key], "\(key)") }
    }

    @Test("the raw file is compared, too")
    func raw() throws {
        let directory = try BenchDirectory(in: sandbox.directory.path, need: 1)
        let options = BenchOptions(seconds: 0.01, records: 1, valueBytes: 100)
        let floor = RawFloor(
            BenchContext(options: options, plan: BenchPlan(options), directory: directory, values: values))
        let count = try floor.append().operations
        try floor.check(count)
        let file = URL(fileURLWithPath: directory.path("raw"))
        var data = try Data(contentsOf: file)
        #expect(data.count == RawFloor.fileBytes)
        data[(count - 1) % (RawFloor.fileBytes / RawFloor.recordBytes) * RawFloor.recordBytes + 5] ^= 1
        try data.write(to: file)
        let mismatch = #expect(throws: Mismatch.self) { try floor.check(count) }
        #expect(mismatch?.failure.status == .mismatch)
        try directory.removeAll()
    }
}
