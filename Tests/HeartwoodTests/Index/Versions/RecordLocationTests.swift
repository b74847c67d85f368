import Testing

@testable import Heartwood

/// Record locations, and every class of lengths.
@Suite struct RecordLocationTests {
    private func check(_ length: Int) throws {
        let code = LengthClass.of(length)
        let bound = LengthClass.bound(code)
        try #require((0...1_023).contains(code), "\(length)")
        try #require(bound >= length, "\(length)")
        if length <= 4_088 {
            try #require(bound == (length + 7) / 8 * 8, "\(length)")
        } else {
            try #require((bound - length) * 16 <= length, "\(length): \(bound)")
        }
        try #require(LengthClass.of(bound) == code, "\(length)")
    }

    @Test func everyLengthUpToAMebibyte() throws {
        var last = 0
        for length in 0...1 << 20 {
            let code = LengthClass.of(length)
            try #require(code == last || code == last + 1, "\(length)")
            if code != last || length % 509 == 0 { try check(length) }
            last = code
        }
    }

    /// On either side of every class, up to the longest possible record.
    @Test func everyClass() throws {
        var lengths = 0
        for code in 0..<1_023 {
            let bound = LengthClass.bound(code)
            guard bound <= 5 << 30 else { break }
            lengths += 1
            try #require(LengthClass.of(bound) == code && LengthClass.of(bound + 1) == code + 1, "\(code)")
            try #require(LengthClass.bound(code + 1) > bound)
            for length in max(0, bound - 9)...bound + 9 { try check(length) }
        }
        #expect(lengths > 512 + 16 * 20)
    }

    @Test func locationsKeepAddressAndLength() {
        for extent in [0, 1, 2, 1_000, RecordLocation.extentLimit - 1] {
            for offset in [0, 8, 64, 4_096, RecordLocation.extentBytes - 8] as [UInt64] {
                let address = RecordLocation.address(extent: extent, offset: offset)
                for length in [0, 1, 8, 4_088, 4_089, 1 << 30] {
                    let location = RecordLocation(address: address, length: length)
                    #expect(location.extent == extent && location.offsetInExtent == offset)
                    #expect(location.address == address && location.lengthBound >= length && location.word >> 63 == 0)
                    #expect(VersionWord(location).location == location && VersionWord(location).block == nil)
                }
            }
        }
        // A file of several extents continues in the next extent.
        #expect(
            RecordLocation.address(extent: 3, offset: 2 * RecordLocation.extentBytes + 16)
                == RecordLocation.address(extent: 5, offset: 16))
    }

    /// Locations sort by their addresses, whatever their lengths.
    @Test func locationsSortByAddress() {
        let low = RecordLocation(
            address: RecordLocation.address(extent: 4, offset: RecordLocation.extentBytes - 8), length: 1 << 30)
        let high = RecordLocation(address: RecordLocation.address(extent: 5, offset: 0), length: 8)
        #expect(low.word < high.word && low.address < high.address)
    }
}
