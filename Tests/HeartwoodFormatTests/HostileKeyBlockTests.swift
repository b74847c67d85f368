import HeartwoodFormat
import Testing

/// Blocks of keys with right checksums and wrong fields: the error names the wrong field.
@Suite struct HostileKeyBlockTests {
    /// A block, and the error that it is refused with; nil for a sound block.
    struct Block: CustomTestStringConvertible {
        var what: String
        var entries: [UInt8]
        var count: UInt32
        var firstRecord: UInt64 = 4096
        var length: UInt32?
        var reserved: UInt32 = 0
        var limit: UInt64 = 1 << 40
        var error: FormatError?

        var testDescription: String { "\(what), \(count) entries" }
    }

    private static func entry(
        _ shared: UInt64, _ rest: [UInt8], _ length: UInt64 = 40, expiry: UInt64? = nil
    ) -> [UInt8] {
        TestKeyBlock.entry(shared: shared, rest, length: length, expiry: expiry)
    }

    private static let one = entry(0, [1])
    private static let two = entry(0, [1]) + entry(1, [1])
    private static let four = two + entry(2, [1]) + entry(3, [1])
    private static let longest = [UInt8](repeating: 1, count: 65_535)
    private static let longestRecord: UInt64 = 32 + 65_536
    private static let wide = entry(0, [1, 2, 3, 4, 5, 6, 7, 8, 9], 48)

    private static let keyLength = FormatError.invalidField(.keyLength)
    private static let keyOrder = FormatError.invalidField(.keyOrder)
    private static let blockLength = FormatError.invalidField(.blockLength)

    private static let keys: [Block] = [
        Block(what: "sound", entries: two, count: 2),
        Block(what: "sound", entries: entry(0, [1], expiry: 1) + entry(0, [2]), count: 2),
        Block(what: "more shared than there is", entries: entry(1, [1]), count: 1, error: keyLength),
        Block(what: "more shared", entries: entry(0, [1, 2]) + entry(3, [1]), count: 2, error: keyLength),
        Block(what: "more shared", entries: one + entry(1 << 35 - 1, [1]), count: 2, error: keyLength),
        Block(what: "out of order", entries: entry(0, [2]) + one, count: 2, error: keyOrder),
        Block(what: "out of order", entries: entry(0, [1, 5, 5]) + entry(1, [4]), count: 2, error: keyOrder),
        Block(what: "unsigned order", entries: entry(0, [0x80]) + entry(0, [0x7F]), count: 2, error: keyOrder),
        Block(what: "equal keys", entries: entry(0, [1, 2]) + entry(0, [1, 2]), count: 2, error: keyOrder),
        Block(what: "equal keys", entries: entry(0, [1, 2]) + entry(1, [2]), count: 2, error: keyOrder),
        // The whole key is shared, and nothing follows.
        Block(what: "equal keys", entries: entry(0, [1, 2]) + entry(2, []), count: 2, error: keyLength),
        // A greater key that shares more than the entry says: the first byte after the shared part decides the order.
        Block(what: "shares more", entries: entry(0, [1, 2]) + entry(0, [1, 3]), count: 2, error: keyOrder),
        Block(what: "an empty key", entries: entry(0, []) + one, count: 2, length: 8, error: keyLength),
        Block(what: "the longest key", entries: entry(0, longest, longestRecord), count: 1),
        Block(what: "too long", entries: entry(0, longest + [1], longestRecord + 8), count: 1, error: keyLength),
        Block(
            what: "too long with its shared part",
            entries: entry(0, longest, longestRecord) + entry(65_535, [1], longestRecord + 8), count: 2,
            error: keyLength),
        Block(what: "an expiry that is cut off", entries: [0, 1, 11, 1, 2, 3, 4, 5], count: 1, error: .truncated),
        Block(what: "an expiry of zero", entries: entry(0, [1], expiry: 0), count: 1, error: .invalidField(.expiry)),
    ]

    private static let overruns = [4, 6, 1000, 65_535, 1 << 35 - 1].map { (claimed: UInt64) in
        Block(
            what: "an entry that overruns by \(claimed)",
            entries: TestKeyBlock.entry(shared: 0, [1], length: 1 << 20, restLength: claimed), count: 1,
            error: keyLength)
    }

    private static let truncatedNumbers = [[0x80, 0x80, 0x80, 0x80], [0, 0xFF, 0x80, 0x80], [0, 1, 0x80, 0xFF]].map {
        Block(what: "a number that is cut off", entries: one + ($0 as [UInt8]), count: 2, error: .truncated)
    }

    /// Up to five bytes are allowed for each number, even if fewer are enough.
    private static let longNumbers = [1, 2, 3, 4, 5, 6, 7, 10, 11].flatMap { (bytes: Int) in
        (0..<3).map { (longOne: Int) in
            let numbers = [0, 1, 10].enumerated().flatMap { position, number in
                TestKeyBlock.number(number, bytes: position == longOne ? bytes : 1)
            }
            let error = bytes <= 5 ? nil : blockLength
            return Block(what: "a number of \(bytes) bytes", entries: numbers + [9], count: 1, error: error)
        }
    }

    private static let records: [Block] =
        [0, 8, 24, 32].map { Block(what: "a short record", entries: entry(0, [1], $0), count: 1, error: blockLength) }
        + [0, 8, 4088, 4097, 4100, 4103, 4104 + 4, .max, .max - 7, .max - 39].map {
            Block(what: "an impossible offset", entries: one, count: 1, firstRecord: $0, error: blockLength)
        } + [
            Block(
                what: "too short for its key", entries: entry(0, [UInt8](repeating: 1, count: 9)), count: 1,
                error: blockLength),
            Block(what: "the longest record", entries: entry(0, [1], 2_147_479_552), count: 1),
            Block(what: "too long a record", entries: entry(0, [1], 2_147_479_560), count: 1, error: blockLength),
            Block(what: "too long a record", entries: entry(0, [1], 1 << 36), count: 1, error: blockLength),
            Block(what: "at the limit", entries: one, count: 1, limit: 4136),
            Block(what: "over the limit", entries: entry(0, [1], 48), count: 1, limit: 4136, error: blockLength),
            Block(what: "over the limit", entries: one + entry(0, [2]), count: 2, limit: 4136, error: blockLength),
            Block(what: "at the limit", entries: one, count: 1, firstRecord: 1 << 40 - 40),
            Block(what: "over it", entries: one, count: 1, firstRecord: 1 << 40 - 32, error: blockLength),
            // The sum of the record's offset and its length overflows.
            Block(
                what: "an overflow", entries: one, count: 1, firstRecord: .max - 7, limit: .max, error: blockLength),
        ]

    private static let counts: [Block] =
        [0, 2, 3, 5, 100, 1 << 31, .max].map {
            Block(what: "a wrong count", entries: four, count: $0, error: blockLength)
        } + [
            Block(what: "the right count", entries: four, count: 4),
            // The largest count that the block length allows.
            Block(what: "a wrong count", entries: wide, count: 2, error: keyLength),
            Block(what: "a wrong count", entries: wide + [0, 1], count: 2, error: blockLength),
        ]

    private static let lengths: [Block] =
        [0, 1, 4, 7, 9, 12, 131_112, .max - 7].map {
            Block(what: "a wrong length", entries: two, count: 2, length: $0, error: blockLength)
        } + [
            Block(what: "a length that is cut off", entries: two, count: 2, length: 16, error: .truncated),
            Block(what: "a length that is cut off", entries: two, count: 2, length: 131_104, error: .truncated),
            // Too short: the checksum then covers other bytes.
            Block(what: "a short length", entries: two + two, count: 2, length: 8, error: .checksumMismatch),
        ]

    private static let padding: [Block] =
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map {
            Block(what: "padding", entries: entry(0, [1, 2]) + ($0 as [UInt8]), count: 1, error: blockLength)
        } + [
            Block(what: "padding", entries: entry(0, [1, 2]) + [0, 0, 0], count: 1),
            Block(
                what: "more padding than needed", entries: entry(0, [1, 2]) + [UInt8](repeating: 0, count: 11),
                count: 1, error: blockLength),
            Block(what: "more padding than needed", entries: two + [0], count: 2, error: blockLength),
        ]

    private static let reserved = (0..<32).map {
        Block(what: "reserved bytes", entries: one, count: 1, reserved: 1 << $0, error: .invalidField(.reserved))
    }

    @Test(
        arguments: keys + overruns + truncatedNumbers + longNumbers + records + counts + lengths + padding + reserved)
    func isRefusedWithItsError(_ block: Block) {
        let (salt, offset): (UInt32, UInt64) = (77, 1 << 20)
        let bytes = TestKeyBlock.block(
            block.entries, count: block.count, firstRecord: block.firstRecord, length: block.length,
            reserved: block.reserved, salt: salt, at: offset)
        let found = TestKeyBlock.result(bytes, salt: salt, at: offset, limit: block.limit)
        let error: FormatError? = if case .failure(let error) = found { error } else { nil }
        #expect(error == block.error)
    }
}
