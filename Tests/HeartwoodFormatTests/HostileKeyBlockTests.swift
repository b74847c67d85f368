import HeartwoodFormat
import Testing

/// Blocks of keys with right checksums and wrong fields: the error names the wrong field.
@Suite struct HostileKeyBlockTests {
    private let salt: UInt32 = 77
    private let offset: UInt64 = 1 << 20

    private func refusal(
        _ entries: [UInt8], count: UInt32, firstRecord: UInt64 = 4096, length: UInt32? = nil, reserved: UInt32 = 0,
        limit: UInt64 = 1 << 40
    ) -> FormatError? {
        let block = TestKeyBlock.block(
            entries, count: count, firstRecord: firstRecord, length: length, reserved: reserved, salt: salt, at: offset)
        switch TestKeyBlock.result(block, salt: salt, at: offset, limit: limit) {
        case .success: return nil
        case .failure(let error): return error
        }
    }

    private func entry(_ shared: UInt64, _ rest: [UInt8], _ length: UInt64 = 40, expiry: UInt64? = nil) -> [UInt8] {
        TestKeyBlock.entry(shared: shared, rest, length: length, expiry: expiry)
    }

    @Test func aSoundBlockIsAccepted() {
        #expect(refusal(entry(0, [1]) + entry(1, [1]), count: 2) == nil)
        #expect(refusal(entry(0, [1], expiry: 1) + entry(0, [2]), count: 2) == nil)
    }

    @Test func moreSharedThanThereIs() {
        #expect(refusal(entry(1, [1]), count: 1) == .invalidField(.keyLength))
        #expect(refusal(entry(0, [1, 2]) + entry(3, [1]), count: 2) == .invalidField(.keyLength))
        #expect(refusal(entry(0, [1]) + entry(1 << 35 - 1, [1]), count: 2) == .invalidField(.keyLength))
    }

    @Test func keysOutOfOrder() {
        #expect(refusal(entry(0, [2]) + entry(0, [1]), count: 2) == .invalidField(.keyOrder))
        #expect(refusal(entry(0, [1, 5, 5]) + entry(1, [4]), count: 2) == .invalidField(.keyOrder))
        #expect(refusal(entry(0, [0x80]) + entry(0, [0x7F]), count: 2) == .invalidField(.keyOrder))
    }

    @Test func equalKeys() {
        #expect(refusal(entry(0, [1, 2]) + entry(0, [1, 2]), count: 2) == .invalidField(.keyOrder))
        #expect(refusal(entry(0, [1, 2]) + entry(1, [2]), count: 2) == .invalidField(.keyOrder))
        // The whole key is shared, and nothing follows.
        #expect(refusal(entry(0, [1, 2]) + entry(2, []), count: 2) == .invalidField(.keyLength))
    }

    /// A greater key that shares more than the entry says: the first byte after the shared part decides the order.
    @Test func sharesMoreThanItSays() {
        #expect(refusal(entry(0, [1, 2]) + entry(0, [1, 3]), count: 2) == .invalidField(.keyOrder))
    }

    @Test func emptyKeys() {
        #expect(refusal(entry(0, []) + entry(0, [1]), count: 2, length: 8) == .invalidField(.keyLength))
    }

    @Test func keysThatAreTooLong() {
        let longest = [UInt8](repeating: 1, count: 65_535)
        let length: UInt64 = 32 + 65_536
        #expect(refusal(entry(0, longest, length), count: 1) == nil)
        #expect(refusal(entry(0, longest + [1], length + 8), count: 1) == .invalidField(.keyLength))
        let tooLong = entry(0, longest, length) + entry(65_535, [1], length + 8)
        #expect(refusal(tooLong, count: 2) == .invalidField(.keyLength))
    }

    @Test func entriesThatOverrun() {
        for claimed in [4, 6, 1000, 65_535, 1 << 35 - 1] as [UInt64] {
            let bytes = TestKeyBlock.entry(shared: 0, [1], length: 1 << 20, restLength: claimed)
            #expect(refusal(bytes, count: 1) == .invalidField(.keyLength), "\(claimed)")
        }
        // An expiry that is cut off.
        #expect(refusal([0, 1, 11, 1, 2, 3, 4, 5], count: 1) == .truncated)
    }

    @Test func truncatedNumbers() {
        for numbers in [[0x80, 0x80, 0x80, 0x80], [0, 0xFF, 0x80, 0x80], [0, 1, 0x80, 0xFF]] as [[UInt8]] {
            #expect(refusal(entry(0, [1]) + numbers, count: 2) == .truncated, "\(numbers)")
        }
    }

    @Test func numbersOfTooManyBytes() {
        // Up to five bytes are allowed, even if fewer are enough.
        func bytes(_ count: Int) -> [[UInt8]] {
            let long = { (number: UInt64) in TestKeyBlock.number(number, bytes: count) }
            let short = { (number: UInt64) in TestKeyBlock.number(number) }
            return [
                long(0) + short(1) + short(10) + [9], short(0) + long(1) + short(10) + [9],
                short(0) + short(1) + long(10) + [9],
            ]
        }
        for count in 1...5 {
            for bytes in bytes(count) { #expect(refusal(bytes, count: 1) == nil) }
        }
        for count in [6, 7, 10, 11] {
            for bytes in bytes(count) { #expect(refusal(bytes, count: 1) == .invalidField(.blockLength)) }
        }
    }

    @Test func recordsThatAreTooShortForTheirKeys() {
        for length in [0, 8, 24, 32] as [UInt64] {
            #expect(refusal(entry(0, [1], length), count: 1) == .invalidField(.blockLength))
        }
        #expect(refusal(entry(0, [UInt8](repeating: 1, count: 9), 40), count: 1) == .invalidField(.blockLength))
    }

    @Test func recordsThatAreTooLong() {
        #expect(refusal(entry(0, [1], 2_147_479_552), count: 1) == nil)
        #expect(refusal(entry(0, [1], 2_147_479_560), count: 1) == .invalidField(.blockLength))
        #expect(refusal(entry(0, [1], 1 << 36), count: 1) == .invalidField(.blockLength))
        #expect(refusal(entry(0, [1], 40), count: 1, limit: 4136) == nil)
        #expect(refusal(entry(0, [1], 48), count: 1, limit: 4136) == .invalidField(.blockLength))
        #expect(refusal(entry(0, [1]) + entry(0, [2]), count: 2, limit: 4136) == .invalidField(.blockLength))
    }

    @Test func recordsAtImpossibleOffsets() {
        for offset in [0, 8, 4088, 4097, 4100, 4103, 4104 + 4, .max, .max - 7, .max - 39] as [UInt64] {
            let error = refusal(entry(0, [1]), count: 1, firstRecord: offset)
            #expect(error == .invalidField(.blockLength), "\(offset)")
        }
        #expect(refusal(entry(0, [1]), count: 1, firstRecord: 1 << 40 - 40) == nil)
        #expect(refusal(entry(0, [1]), count: 1, firstRecord: 1 << 40 - 32) == .invalidField(.blockLength))
    }

    /// The sum of the first record's offset and its length overflows.
    @Test func aRecordOffsetThatOverflowsIsRefused() {
        for limit in [1 << 40, .max] as [UInt64] {
            #expect(
                refusal(entry(0, [1]), count: 1, firstRecord: .max - 7, limit: limit) == .invalidField(.blockLength))
        }
    }

    @Test func wrongCounts() {
        let entries = entry(0, [1]) + entry(1, [1]) + entry(2, [1]) + entry(3, [1])
        #expect(refusal(entries, count: 4) == nil)
        #expect(refusal(entries, count: 0) == .invalidField(.blockLength))
        #expect(refusal(entries, count: 3) == .invalidField(.blockLength))
        #expect(refusal(entries, count: 2) == .invalidField(.blockLength))
        for count in [5, 100, 1 << 31, .max] as [UInt32] {
            #expect(refusal(entries, count: count) == .invalidField(.blockLength))
        }
        // The largest count that the block length allows.
        let wide = entry(0, [1, 2, 3, 4, 5, 6, 7, 8, 9], 48)
        #expect(refusal(wide, count: 2) == .invalidField(.keyLength))
        #expect(refusal(wide + [0, 1], count: 2) == .invalidField(.blockLength))
    }

    @Test func wrongLengths() {
        let entries = entry(0, [1]) + entry(1, [1])
        for length in [0, 1, 4, 7, 9, 12] as [UInt32] {
            #expect(refusal(entries, count: 2, length: length) == .invalidField(.blockLength))
        }
        #expect(refusal(entries, count: 2, length: 16) == .truncated)
        #expect(refusal(entries, count: 2, length: 131_104) == .truncated)
        #expect(refusal(entries, count: 2, length: 131_112) == .invalidField(.blockLength))
        #expect(refusal(entries, count: 2, length: .max - 7) == .invalidField(.blockLength))
        // Too short: the checksum then covers other bytes.
        #expect(refusal(entries + entries, count: 2, length: 8) == .checksumMismatch)
    }

    @Test func paddingThatIsNotZero() {
        let entries = entry(0, [1, 2])
        #expect(refusal(entries + [0, 0, 0], count: 1) == nil)
        for position in 0..<3 {
            var padding: [UInt8] = [0, 0, 0]
            padding[position] = 1
            #expect(refusal(entries + padding, count: 1) == .invalidField(.blockLength))
        }
        // More padding than needed.
        #expect(refusal(entries + [UInt8](repeating: 0, count: 11), count: 1) == .invalidField(.blockLength))
        #expect(refusal(entry(0, [1]) + entry(1, [1]) + [0], count: 2) == .invalidField(.blockLength))
    }

    @Test func reservedBytesThatAreNotZero() {
        for bit in 0..<32 as Range<UInt32> {
            #expect(refusal(entry(0, [1]), count: 1, reserved: 1 << bit) == .invalidField(.reserved))
        }
    }

    @Test func anExpiryOfZero() {
        #expect(refusal(entry(0, [1], expiry: 0), count: 1) == .invalidField(.expiry))
    }

    /// Random entries under right checksums give entries in order, or an error.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomEntriesNeverTrap(seed: UInt64) {
        var random = TestRandom(seed: seed)
        var taken = 0
        for _ in 0..<5_000 {
            var bytes: [UInt8] = []
            let count = 1 + random.below(5)
            for _ in 0..<count {
                switch random.below(8) {
                case 0: bytes += random.bytes(random.below(12))
                default:
                    bytes += TestKeyBlock.entry(
                        shared: UInt64(random.below(3)), random.bytes(random.below(4)),
                        length: UInt64(32 + 8 * random.below(4)), expiry: random.below(4) == 0 ? random.next() : nil)
                }
            }
            let block = TestKeyBlock.block(
                bytes, count: UInt32(count), firstRecord: random.below(20) == 0 ? random.next() : 4096, salt: salt,
                at: offset)
            guard case .success(let entries) = TestKeyBlock.result(block, salt: salt, at: offset) else { continue }
            taken += 1
            #expect(entries.count == count)
            for (a, b) in zip(entries, entries.dropFirst()) { #expect(a.key.lexicographicallyPrecedes(b.key)) }
        }
        #expect(taken > 50)
    }
}
