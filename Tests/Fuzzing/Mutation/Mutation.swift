internal import HeartwoodTesting

/// Changes to fields, at their known offsets.
enum Mutation {
    /// Numbers at limits.
    static let numbers: [UInt64] = [
        0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 48, 127, 128, 255, 256, 4095, 4096, 4097, 8192, 65_535, 65_536, 1 << 20,
        1 << 31 - 8, 2_147_479_552, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 62, 1 << 63 - 1, 1 << 63, .max - 7, .max - 1,
        .max,
    ]

    /// A field: its offset and its length, in bytes.
    typealias Field = (offset: Int, bytes: Int)

    static let fileFields: [Field] = [
        (8, 2), (10, 1), (11, 1), (12, 4), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8), (64, 8),
        (72, 8), (4084, 8),
    ]
    static let commitFields: [Field] = [(4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4)]
    static let recordFields: [Field] = [(0, 1), (1, 1), (2, 2), (4, 4), (8, 8), (16, 8), (24, 4)]

    static let blockFields: [Field] = [(4, 4), (8, 8), (16, 4), (20, 4), (24, 4)]
    static let footerFields: [Field] = [(4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8), (56, 4)]

    static func changeBlockHeader(
        _ bytes: inout [UInt8], at offset: Int, _ random: inout SeededRandom, _ blind: BlindMutation
    ) {
        if random.oneIn(8) {
            change(offset..<(offset + 28), of: &bytes, blind)
        } else {
            change(random.pick(blockFields), of: &bytes, at: offset, near: 4096, &random)
        }
    }

    static func changeFooter(
        _ bytes: inout [UInt8], at offset: Int, fileOffset: UInt64, _ random: inout SeededRandom,
        _ blind: BlindMutation
    ) {
        switch random.below(8) {
        case 0: change(offset..<(offset + 60), of: &bytes, blind)
        case 1, 2:
            // A plausible value.
            let records = UInt64(random.below(5))
            bytes.replaceSubrange(offset..<(offset + 8), with: [0x48, 0x57, 0x53, 0x46, 0, 0, 0, 0])
            bytes.setNumber(records, at: offset + 8, bytes: 8)
            bytes.setNumber((fileOffset / 2) & ~7, at: offset + 16, bytes: 8)
            bytes.setNumber(min(records, 1), at: offset + 24, bytes: 8)
            bytes.setNumber(UInt64(random.below(300)), at: offset + 32, bytes: 8)
            bytes.setNumber(UInt64(random.below(Int(records) + 1)), at: offset + 40, bytes: 8)
            bytes.replaceSubrange((offset + 48)..<(offset + 60), with: repeatElement(0, count: 12))
        default: change(random.pick(footerFields), of: &bytes, at: offset, near: fileOffset, &random)
        }
    }

    static func changeFileHeader(_ bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) {
        switch random.below(8) {
        case 0: change(0..<72, of: &bytes, blind)
        case 1: bytes[random.below(4096)] ^= 1 << UInt8(random.below(8))
        case 2: bytes.removeLast(random.below(bytes.count))
        case 3 where bytes[10] == 1: bytes.setNumber(random.pick([1, 2, 3]), at: 8, bytes: 2)
        default: change(random.pick(fileFields), of: &bytes, at: 0, near: UInt64(bytes.count), &random)
        }
    }

    static func changeCommitHeader(
        _ bytes: inout [UInt8], at offset: Int, fileOffset: UInt64, _ random: inout SeededRandom,
        _ blind: BlindMutation
    ) {
        switch random.below(8) {
        case 0: change((offset + 4)..<(offset + 44), of: &bytes, blind)
        case 1: bytes[offset + 4] = UInt8(random.below(4))
        case 2:
            let records = UInt64(random.below(4))
            bytes.setNumber(records, at: offset + 40, bytes: 4)
            bytes.setNumber(records * 32 + UInt64(random.below(5)) * 8, at: offset + 8, bytes: 8)
        default: change(random.pick(commitFields), of: &bytes, at: offset, near: fileOffset, &random)
        }
    }

    static func changeRecordHeader(
        _ bytes: inout [UInt8], at offset: Int, _ random: inout SeededRandom, _ blind: BlindMutation
    ) {
        switch random.below(8) {
        case 0: change(offset..<(offset + 28), of: &bytes, blind)
        case 1: bytes[offset] = random.pick([0, 1, 2, 3, 4, 127, 128, 200, 255])
        case 2: bytes[offset + 1] = UInt8(random.below(9))
        case 3:
            // A plausible value.
            bytes[offset] = UInt8(1 + random.below(3))
            bytes[offset + 1] = UInt8(random.below(8))
            bytes.setNumber(bytes[offset] == 2 ? random.next() >> 20 : 0, at: offset + 16, bytes: 8)
        default: change(random.pick(recordFields), of: &bytes, at: offset, near: UInt64(offset), &random)
        }
    }

    /// Sets a field to a number at a limit, near its old value, or near an offset.
    private static func change(
        _ field: Field, of bytes: inout [UInt8], at offset: Int, near target: UInt64, _ random: inout SeededRandom
    ) {
        guard offset + field.offset + field.bytes <= bytes.count else { return }
        let old = bytes.number(at: offset + field.offset, bytes: field.bytes)
        let new: UInt64 =
            switch random.below(6) {
            case 0: random.pick(numbers)
            case 1: old &+ UInt64(random.below(4)) &- 2
            case 2: old ^ 1 << UInt64(random.below(8 * field.bytes))
            case 3: target &+ UInt64(random.below(9)) &* 8 &- 32
            case 4: random.next() >> UInt64(random.below(64))
            default: old &+ 8
            }
        bytes.setNumber(new, at: offset + field.offset, bytes: field.bytes)
    }

    /// Changes a part blindly.
    static func change(_ range: Range<Int>, of bytes: inout [UInt8], _ blind: BlindMutation) {
        bytes.replaceSubrange(range, with: sameLength(Array(bytes[range]), blind))
    }

    /// The bytes after a blind change, with the same count.
    private static func sameLength(_ bytes: [UInt8], _ blind: BlindMutation) -> [UInt8] {
        let changed = blind(bytes, bytes.count).prefix(bytes.count)
        return Array(changed) + bytes.dropFirst(changed.count)
    }
}
