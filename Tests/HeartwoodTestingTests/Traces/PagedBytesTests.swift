import HeartwoodCampaignSupport
import Testing

@testable import HeartwoodTesting

@Suite struct PagedBytesTests {
    /// Copies must not change.
    @Test func behaveLikeAnArray() {
        let seed = testSeed("PagedBytesTests")
        for run: UInt64 in 0..<20 {
            var random = SeededRandom(seed, run)
            var bytes = PagedBytes()
            var array: [UInt8] = []
            var copies: [(PagedBytes, [UInt8])] = []
            for step in 0..<20 {
                change(&bytes, &array, &random)
                if random.oneIn(4) { copies.append((bytes, array)) }
                if random.oneIn(4) { bytes.rememberHashes() }
                let isSame = bytes.size == array.count && bytes.bytes == array
                #expect(isSame, "run \(run), step \(step)")
                let fresh = PagedBytes(array)
                #expect(fresh == bytes && fresh.fingerprint == bytes.fingerprint, "run \(run), step \(step)")
                guard isSame else { return }
            }
            for (bytes, array) in copies { #expect(bytes.bytes == array) }
        }
    }

    private func change(_ bytes: inout PagedBytes, _ array: inout [UInt8], _ random: inout SeededRandom) {
        let offset = random.below(20_000)
        let length = random.number(in: 1...9000)
        let fill = UInt8(random.below(3))
        switch random.below(5) {
        case 0, 1:
            [UInt8](repeating: fill, count: length).withUnsafeBytes { bytes.write($0, at: UInt64(offset)) }
            if array.count < offset + length { array += [UInt8](repeating: 0, count: offset + length - array.count) }
            array.replaceSubrange(offset..<(offset + length), with: repeatElement(fill, count: length))
        case 2:
            bytes.resize(to: UInt64(offset))
            array = Array(array.prefix(offset)) + [UInt8](repeating: 0, count: max(0, offset - array.count))
        case 3:
            bytes.zero(UInt64(offset)..<UInt64(offset + length))
            for index in offset..<max(offset, min(offset + length, array.count)) { array[index] = 0 }
        default:
            let end = min(offset + length, array.count)
            guard offset < end else { return }
            let part = Array(array[offset..<end])
            #expect(part.withUnsafeBytes { bytes.holds($0, at: UInt64(offset)) })
            #expect(bytes.isZero(in: UInt64(offset)..<UInt64(end)) == part.allSatisfy { $0 == 0 })
            var changed = part
            changed[random.below(changed.count)] ^= 1
            #expect(!changed.withUnsafeBytes { bytes.holds($0, at: UInt64(offset)) })
        }
    }
}
