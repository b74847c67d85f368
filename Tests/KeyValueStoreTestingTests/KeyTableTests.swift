import HeartwoodTesting
import KeyValueStore
import Testing

@Suite struct KeyTableTests {
    /// Adds and replaces keys at random, and asks for ranges in between.
    @Test(arguments: 0..<20 as Range<UInt64>) func theKeysOfARangeAreFound(seed: UInt64) {
        var random = SeededRandom(seed, 0x7AB)
        var table = KeyTable<Int>()
        var model: [[UInt8]: Int] = [:]
        for round in 0..<200 {
            for value in 0..<random.below(6) {
                let key = (0..<random.below(3)).map { _ in UInt8(random.below(8)) }
                table.set(key, round * 10 + value)
                model[key] = round * 10 + value
            }
            let bounds = (0..<2).map { _ in [UInt8(random.below(9)), UInt8(random.below(9))] }
            let range = random.oneIn(4) ? KeyRange.all : .range(from: bounds[0], to: bounds[1])
            let expected = model.filter { key, _ in key.withUnsafeBytes { range.contains($0) } }.map(\.value)
            #expect(table.values(in: range).sorted() == expected.sorted(), "seed \(seed)")
        }
    }

    /// A caller that adds to a table asks for a little more space each time.
    @Test func spaceIsReservedInLargeSteps() {
        var table = KeyTable<Int>()
        var steps: Set<Int> = []
        for number in 0..<4_096 {
            table.reserve(table.items.count + 2)
            steps.insert(table.items.capacity)
            table.set([UInt8(number >> 8), UInt8(number & 255)], number)
        }
        #expect(steps.count < 20)
    }
}
