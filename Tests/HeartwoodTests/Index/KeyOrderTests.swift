import Testing

@testable import Heartwood

@Suite struct KeyOrderTests {
    /// Sorted.
    static let keys: [[UInt8]] = [
        [0], [0, 0], [0, 1], [0x61], [0x61, 0], [0x61, 0, 0, 0, 0, 0, 0, 0], [0x61, 0, 0, 0, 0, 0, 0, 0, 0],
        [0x61, 0, 0, 0, 0, 0, 0, 0, 1], [0x61, 0, 0, 0, 0, 0, 0, 1], [0x61, 0x62], [0x7F], [0x80], [0xFF],
        Array(repeating: 0xFF, count: 8), Array(repeating: 0xFF, count: 9),
    ]

    @Test func comparesUnsignedBytesAndShorterFirst() {
        for (i, a) in Self.keys.enumerated() {
            for (j, b) in Self.keys.enumerated() {
                #expect(KeyOrder.compare(a, b).signum() == (i - j).signum(), "\(a) \(b)")
            }
        }
    }

    @Test func headsNeverContradictTheOrder() {
        let heads = Self.keys.map { $0.withUnsafeBytes { KeyOrder.head(of: $0) } }
        #expect(heads == heads.sorted())
        #expect([UInt8]().withUnsafeBytes { KeyOrder.head(of: $0) } == 0)
    }

    @Test func boundsOfARange() {
        func keys(_ lower: KeyBound, _ upper: KeyBound) -> [[UInt8]] {
            let range = KeyRange(lower: lower, upper: upper)
            let keys = Self.keys.filter { $0.withUnsafeBytes { range.contains($0) } }
            #expect(keys.isEmpty || !range.isEmpty)
            return keys
        }
        #expect(keys(.unbounded, .unbounded) == Self.keys)
        #expect(keys(.included([0x7F]), .included([0x80])) == [[0x7F], [0x80]])
        #expect(keys(.excluded([0x7F]), .included([0x80])) == [[0x80]])
        #expect(keys(.included([0x7F]), .excluded([0x80])) == [[0x7F]])
        #expect(keys(.excluded([0x7F]), .excluded([0x80])) == [])
        #expect(keys(.included([0x80]), .included([0x7F])) == [])
        #expect(keys(.unbounded, .excluded([])) == [])
        #expect(keys(.included([]), .excluded([0, 0])) == [[0]])
    }
}
