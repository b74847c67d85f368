import Foundation
import Testing

@testable import heartwood_bench

struct DataTests {
    @Test(arguments: [KeySource.Order.random, .ascending])
    func keysContainTheirNumbers(_ order: KeySource.Order) {
        let keys = KeySource(count: 10_000, order: order)
        var key = keys.makeBuffer()
        for number in 0..<10_000 {
            keys.write(number, to: &key)
            #expect(key.withUnsafeBytes { keys.number(of: $0.bytes) } == number)
        }
    }

    @Test func walksAreDeterministic() {
        var one = KeyWalk(.random(seed: 7), 100..<200, valueCount: 31, round: 1)
        var other = KeyWalk(.random(seed: 7), 100..<200, valueCount: 31, round: 1)
        var numbers = Set<Int>()
        for _ in 0..<5_000 {
            one.advance()
            other.advance()
            #expect(one.number == other.number && one.value == other.value)
            #expect((100..<200).contains(one.number) && (0..<31).contains(one.value))
            numbers.insert(one.number)
        }
        #expect(numbers.count == 100)
    }

    @Test func sequentialWalksPutFirstValuesFirst() {
        var walk = KeyWalk(.sequential, 10..<20, valueCount: 31)
        for number in 10..<20 {
            walk.advance()
            #expect(walk.number == number && walk.value == number % 31)
        }
        walk.advance()
        #expect(walk.number == 10 && walk.value != 10)
    }

    @Test func rangesOfWritersCoverAllKeysOnce() {
        let ranges = (0..<7).map { KeyWalk.range(of: $0, of: 7, in: 1_000) }
        #expect(ranges.flatMap { Array($0) } == Array(0..<1_000))
    }

    @Test func documentsAreJSONOfAbout700Bytes() throws {
        var random = SplitMix64(seed: 1)
        let documents = (0..<200).map { _ in JSONDocument.make(&random) }
        for document in documents { _ = try JSONSerialization.jsonObject(with: Data(document)) }
        #expect((600...800).contains(documents.reduce(0) { $0 + $1.count } / documents.count))
        #expect(Set(documents).count == documents.count)
    }

    @Test func sumsAreCorrect() {
        var random = SplitMix64(seed: 3)
        for count in [0, 1, 31, 32, 100, 5_000] {
            let bytes = random.bytes(count)
            var sum: UInt64 = 0
            ByteSum.add(bytes, to: &sum)
            #expect(sum == bytes.reduce(0) { $0 + UInt64($1) })
        }
    }
}
