import Foundation
import Testing

@testable import heartwood_bench

struct ZipfianTests {
    @Test func followsZipfsLaw() {
        let count = 1_000
        let zipfian = Zipfian(count)
        var random = SplitMix64(seed: 11)
        let draws = 2_000_000
        var seen = [Int](repeating: 0, count: count)
        for _ in 0..<draws { seen[zipfian.next(&random)] += 1 }
        let zeta = (1...count).reduce(0) { $0 + 1 / pow(Double($1), Zipfian.theta) }
        for number in [0, 1] {
            let expected = Double(draws) / pow(Double(number + 1), Zipfian.theta) / zeta
            #expect(abs(Double(seen[number]) / expected - 1) < 0.02)
        }
        // Beyond the first two numbers, the generator of Gray et al. is an approximation that holds for ranges.
        for range in [10..<20, 100..<200, 500..<1_000] {
            let expected =
                range.reduce(0) { $0 + 1 / pow(Double($1 + 1), Zipfian.theta) } / zeta * Double(draws)
            #expect(abs(Double(range.reduce(0) { $0 + seen[$1] }) / expected - 1) < 0.1)
        }
    }

    @Test func aGrownGeneratorEqualsALargerOne() {
        var grown = Zipfian(1_000)
        for _ in 0..<500 { grown.grow() }
        let made = Zipfian(1_500)
        var (one, other) = (SplitMix64(seed: 5), SplitMix64(seed: 5))
        for _ in 0..<10_000 { #expect(grown.next(&one) == made.next(&other)) }
    }

    @Test func scrambledNumbersAreBelowTheLimitAndUneven() {
        let scrambled = ScrambledZipfian(below: 1_000)
        var random = SplitMix64(seed: 2)
        var seen = [Int](repeating: 0, count: 1_000)
        for _ in 0..<500_000 { seen[scrambled.next(&random)] += 1 }
        // The most frequent number has a share of 1 in 26.5, and isn't the first.
        let most = seen.indices.max { seen[$0] < seen[$1] }!
        #expect(most != 0)
        #expect(abs(Double(seen[most]) / 500_000 - 1 / 26.47) < 0.005)
        #expect(seen.allSatisfy { $0 > 0 })
    }
}
