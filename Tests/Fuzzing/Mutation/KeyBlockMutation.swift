internal import HeartwoodTesting

/// Changes the entries of a block of keys.
enum KeyBlockMutation {
    private static let maximum = 440

    /// Makes one to three changes of the header or the entries, and mostly repairs the length and the count.
    static func run(_ block: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) {
        var entries = entries(of: block)
        for _ in 0...random.below(3) { change(&entries, &random, blind) }
        var payload = entries.flatMap { $0 }
        if payload.count > maximum { payload.removeLast(payload.count - maximum) }
        if random.oneIn(10) { payload = blind(payload, maximum) }
        payload += [UInt8](repeating: random.oneIn(20) ? 1 : 0, count: (8 - payload.count % 8) % 8)
        if random.oneIn(16) { payload += [UInt8](repeating: 0, count: 8) }
        block = block[..<32] + payload
        if !random.oneIn(12) { block.setNumber(UInt64(entries.count), at: 4, bytes: 4) }
        if !random.oneIn(12) { block.setNumber(UInt64(payload.count), at: 16, bytes: 4) }
        if random.oneIn(6) { Mutation.changeBlockHeader(&block, at: 0, &random, blind) }
        if random.oneIn(2) {
            block.replaceSubrange(0..<4, with: [0x48, 0x57, 0x4B, 0x42])
            block.setNumber(0, at: 20, bytes: 4)
        }
    }

    private static func change(_ entries: inout [[UInt8]], _ random: inout SeededRandom, _ blind: BlindMutation) {
        guard !entries.isEmpty, !random.oneIn(4) else {
            entries.append(entry(&random, isFirst: entries.isEmpty))
            return
        }
        let index = random.below(entries.count)
        switch random.below(6) {
        case 0: entries.remove(at: index)
        case 1: entries.insert(entries[index], at: index)
        case 2: entries.swapAt(index, random.below(entries.count))
        case 3: entries[index] = blind(entries[index], 60)
        case 4: entries[index] = entry(&random, isFirst: index == 0)
        default:
            // One of the numbers, which mostly have one byte each.
            let at = random.below(min(3, entries[index].count))
            entries[index][at] =
                random.oneIn(3) ? random.pick([0, 1, 10, 11, 0x7F, 0x80, 0xFF]) : entries[index][at] &+ 1
        }
    }

    /// A plausible entry.
    private static func entry(_ random: inout SeededRandom, isFirst: Bool) -> [UInt8] {
        let rest = (0...random.below(4)).map { _ in UInt8(random.below(256)) }
        let expires = random.oneIn(4)
        var bytes = [isFirst ? 0 : UInt8(random.below(3)), UInt8(rest.count)]
        bytes.append(UInt8(10 + 2 * random.below(20) + (expires ? 1 : 0)))
        if expires { bytes += (0..<8).map { _ in UInt8(random.below(256)) } }
        return bytes + rest
    }

    /// The bytes of each entry, as far as the block can be parsed.
    private static func entries(of block: [UInt8]) -> [[UInt8]] {
        var entries: [[UInt8]] = []
        var at = 32
        for _ in 0..<min(64, block.number(at: 4, bytes: 4)) {
            let start = at
            var numbers: [UInt64] = []
            for _ in 0..<3 {
                var number: UInt64 = 0
                var shift: UInt64 = 0
                while at < block.count, shift < 35 {
                    number |= UInt64(block[at] & 0x7F) << shift
                    shift += 7
                    at += 1
                    if block[at - 1] < 0x80 { break }
                }
                numbers.append(number)
            }
            at = min(block.count, at + (numbers[2] & 1 == 1 ? 8 : 0) + Int(min(numbers[1], 1 << 17)))
            if at == start { break }
            entries.append(Array(block[start..<at]))
        }
        return entries
    }
}
