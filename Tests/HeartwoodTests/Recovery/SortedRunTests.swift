import Testing

@testable import Heartwood

/// Sorting, compared with a dictionary whose keys the standard library sorts.
@Suite struct SortedRunTests {
    /// The required result: the last version of each key, in key order.
    private struct Expected {
        var versions: [[UInt8]: Version] = [:]
        var run = SortedRun()

        mutating func add(_ key: [UInt8], _ version: Version) {
            versions[key] = version
            key.withUnsafeBytes { run.add($0, version) }
        }

        mutating func check(_ context: String = "") throws {
            run.sort()
            let keys = versions.keys.sorted { $0.lexicographicallyPrecedes($1) }
            try #require(run.count == keys.count, "\(context)")
            for (index, key) in keys.enumerated() {
                try #require(run.withKey(index) { [UInt8]($0) } == key, "\(context)")
                try #require(run.version(index) == versions[key], "\(context)")
            }
        }
    }

    enum Keys: CaseIterable {
        case short, zeros, sameHeads, samePrefix, longPrefix, wide

        func random(_ random: inout SplitMix64) -> [UInt8] {
            func bytes(_ lengths: ClosedRange<Int>, _ alphabet: [UInt8]) -> [UInt8] {
                (0..<Int.random(in: lengths, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            }
            let extremes: [UInt8] = [0, 1, 0xFE, 0xFF]
            return switch self {
            case .short: bytes(1...4, extremes)
            case .zeros: bytes(1...3, [0, 1]) + [UInt8](repeating: 0, count: Int.random(in: 0...20, using: &random))
            case .sameHeads:
                [UInt8](repeating: 7, count: 8 * Int.random(in: 1...4, using: &random)) + bytes(0...10, extremes)
            case .samePrefix: Array("all of them begin with this:".utf8) + bytes(0...9, extremes)
            case .longPrefix:
                [UInt8](repeating: 9, count: Int.random(in: 100...200, using: &random)) + bytes(0...3, extremes)
            case .wide: bytes(1...40, Array(0...255))
            }
        }
    }

    /// Up to 24 keys of a group are sorted by insertion, more by their bytes.
    @Test(arguments: Keys.allCases, [1, 2, 23, 24, 25, 26, 300, 2_000])
    func sortsLikeTheStandardLibrary(keys: Keys, count: Int) throws {
        var random = SplitMix64(fromEnvironmentFor: "SortedRunTests \(keys)")
        var expected = Expected()
        for sequence in 1...UInt64(count) {
            let version: Version =
                switch UInt8.random(in: 0..<10, using: &random) {
                case 0: .tombstone(sequence)
                case 1: .value(sequence, expiry: 1_000 + sequence)
                default: .value(sequence, length: 8 * Int.random(in: 1...511, using: &random))
                }
            expected.add(keys.random(&random), version)
        }
        #expect(expected.run.lastAddress == UInt64(count) << 16)
        try expected.check("seed \(random.seed)")
    }

    /// Every subset of these keys, added in both orders.
    @Test func everySetOfTinyKeys() throws {
        let keys: [[UInt8]] = [
            [0], [1], [0, 0], [0, 1], [1, 0], [1, 1], [0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0],
        ]
        for chosen in 1..<1 << keys.count {
            var forward = Expected()
            var backward = Expected()
            for index in keys.indices where chosen & 1 << index != 0 {
                forward.add(keys[index], .value(UInt64(index + 1)))
            }
            for index in keys.indices.reversed() where chosen & 1 << index != 0 {
                backward.add(keys[index], .value(UInt64(keys.count - index)))
            }
            try forward.check("\(chosen)")
            try backward.check("\(chosen)")
        }
    }

    /// The longest keys, equal except for their last byte, and one other key, so that there is no common prefix.
    @Test func theLongestKeysDifferAtTheirEndsOnly() throws {
        var expected = Expected()
        expected.add([0xFF], .value(1))
        for number in 2...40 as ClosedRange<UInt64> {
            expected.add(
                [UInt8](repeating: 3, count: 65_534) + [UInt8(truncatingIfNeeded: number &* 77)], .value(number))
        }
        try expected.check()
    }
}
