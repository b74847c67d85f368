internal import Foundation
internal import Heartwood
internal import Testing

@testable internal import heartwood_tool

/// A figure must fail if the data isn't what was written.
@Suite("bench: what is written is compared")
struct BenchCheckTests {
    private let sandbox: Sandbox
    private let data = Dataset(seed: 7, keyCount: 100)
    private let plan = BenchPlan(BenchOptions(seconds: 0.01, records: 1, valueBytes: 100))
    private var path: String { sandbox.path("s") }

    init() throws { sandbox = try Sandbox() }

    /// Writes pairs of a key and a value's number, and compares them with the hundred expected ones.
    private func check(_ pairs: [(key: [UInt8], value: Int)], foreign: String? = nil) async throws {
        try await Store.withStore(at: path) { store in
            for pair in pairs { try await store.put(pair.key, data.value(pair.value), durability: .buffered) }
            if let foreign { try await store.put(foreign, "value") }
        }
        let directory = try BenchDirectory(in: sandbox.directory.path, need: 1)
        try await BenchFigures(plan: plan, directory: directory).check(path, ExpectedContents(data, isFilled: true))
    }

    private func pair(_ number: Int) -> (key: [UInt8], value: Int) {
        let keys = data.keys(200)
        var key = keys.makeBuffer()
        keys.write(number, to: &key)
        return (key, number)
    }

    @Test("what was written passes")
    func passes() async throws {
        try await check((0..<100).map(pair))
    }

    @Test(
        "another value, a missing key, an extra key, foreign keys, and a changed byte of a key fail", arguments: 0..<6)
    func differs(way: Int) async throws {
        var (pairs, foreign): ([(key: [UInt8], value: Int)], String?) = ((0..<100).map(pair), nil)
        switch way {
        case 0: pairs[50].value = 51
        case 1: pairs.removeLast()
        case 2: pairs.append(pair(100))
        case 3: foreign = "a foreign key, sixteen"
        case 4: foreign = "sixteen bytes, so"
        default: pairs[50].key[15] ^= 1
        }
        let error = await #expect(throws: WrongResult.self) { try await check(pairs, foreign: foreign) }
        let failure = BenchRun.mismatch(.fillbatch, try #require(error))
        #expect(failure.status == .mismatch && failure.message.hasPrefix("fillbatch"))
    }

    @Test("the raw file is compared, too")
    func raw() throws {
        let directory = try BenchDirectory(in: sandbox.directory.path, need: 1)
        let floor = RawFloor(directory, plan)
        let count = try floor.append().operations
        try floor.check(count)
        let file = URL(fileURLWithPath: directory.path("raw"))
        var data = try Data(contentsOf: file)
        #expect(data.count == BenchPlan.rawFileBytes)
        data[(count - 1) % (BenchPlan.rawFileBytes / RawFloor.recordBytes) * RawFloor.recordBytes + 5] ^= 1
        try data.write(to: file)
        #expect(throws: WrongResult.self) { try floor.check(count) }
        try directory.removeAll()
    }
}
