internal import Heartwood
import HeartwoodTesting

/// The keys of a soak: a fixed number of slots for each writer, in the order of their keys.
struct SoakKeys: Sendable {
    let seed: UInt64
    let slots: Int
    /// By writer and slot.
    private let keys: [[[UInt8]]]

    init(seed: UInt64, writers: Int, slots: Int) {
        self.seed = seed
        self.slots = slots
        keys = (0..<writers).map { writer in
            (0..<slots).map { slot in
                // Different lengths; some keys don't fit into a leaf's page beside others.
                var random = SeededRandom(seed, UInt64(writer), UInt64(slot), 41)
                let tail = random.oneIn(100) ? random.below(1_500) : random.below(40)
                let number = String(slot)
                let name = "w\(writer)/" + String(repeating: "0", count: 6 - number.utf8.count) + number
                return Array(name.utf8) + (0..<tail).map { _ in UInt8(random.below(256)) }
            }
        }
    }

    func key(_ writer: Int, _ slot: Int) -> [UInt8] { keys[writer][slot] }

    func all(of writer: Int) -> [[UInt8]] { keys[writer] }

    /// All keys of a writer, and no others.
    static func range(of writer: Int) -> KeyRange { .prefix("w\(writer)/") }

    /// The writer and slot of a key; nil for a key that no writer has.
    func slot(of key: [UInt8]) -> (writer: Int, slot: Int)? {
        guard key.count >= 9, key[0] == UInt8(ascii: "w"), key[2] == UInt8(ascii: "/") else { return nil }
        let writer = Int(key[1]) - 48
        var slot = 0
        for digit in key[3..<9] {
            guard (48...57).contains(digit) else { return nil }
            slot = slot * 10 + Int(digit) - 48
        }
        guard keys.indices.contains(writer), slot < slots, keys[writer][slot] == key else { return nil }
        return (writer, slot)
    }

    // MARK: - Values

    /// The value of a version of a key. It begins with the version, from which a reader derives the rest.
    func value(_ writer: Int, _ slot: Int, version: UInt32) -> [UInt8] {
        let identity = SeededRandom.mix(seed ^ UInt64(writer) << 56 ^ UInt64(slot) << 32 ^ UInt64(version))
        var bytes = ValuePattern(identity: identity, length: 8 + Self.length(identity)).bytes
        withUnsafeBytes(of: version.littleEndian) { bytes.replaceSubrange(0..<4, with: $0) }
        return bytes
    }

    /// The version of a value; nil if it isn't a value of this key.
    func version(of value: [UInt8], _ writer: Int, _ slot: Int) -> UInt32? {
        guard value.count >= 8 else { return nil }
        let version = value.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }
        return value == self.value(writer, slot, version: version) ? version : nil
    }

    /// Mostly small, some of a few kilobytes, a few of up to 64 KiB: about 900 bytes on average.
    private static func length(_ identity: UInt64) -> Int {
        let random = Int(identity >> 32 & 0xFFFF)
        switch Int(identity >> 48 & 0xFF) {
        case ..<205: return random % 400
        case ..<254: return random % 4_000
        default: return random
        }
    }
}
