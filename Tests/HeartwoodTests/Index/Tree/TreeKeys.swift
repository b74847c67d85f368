@testable import Heartwood

/// Sets of keys that make trees of different shapes. Keys sort like their numbers.
enum TreeKeys: CaseIterable {
    /// Eight bytes: about two hundred in a leaf.
    case numbers
    /// The longest inline keys, with nothing in common: thirteen in a leaf, and as many in an inner node.
    case wide
    /// Too long for a node, and different only after more than 255 bytes: separators lie outside of nodes, too.
    case long
    /// Of all lengths, each a prefix of the next ones.
    case nested

    func key(_ number: Int) -> [UInt8] {
        switch self {
        case .numbers: return bigEndianKey(number)
        case .wide:
            let first = bigEndianKey(number).suffix(2)
            return first + [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 7), count: 254)
        case .long: return [UInt8](repeating: 0x4C, count: 270) + bigEndianKey(number).suffix(3) + [1, 2, 3]
        case .nested:
            // Groups of sixteen keys; within a group, each is a prefix of the next.
            let (group, member) = (number / 16, number % 16)
            let start = [UInt8](bigEndianKey(group).suffix(4))
            if group % 8 == 0 { return member == 0 ? start : start + [UInt8(member)] }
            return start + [UInt8](repeating: 0, count: member * (group % 8))
        }
    }
}

/// Keys to load, each with a version made from its number.
struct TreeEntries: SortedVersions {
    let keys: [[UInt8]]
    let expiring: Int

    /// - Parameter expiring: One of this many entries expires, and needs a block.
    init(_ kind: TreeKeys, _ count: Int, expiring: Int = 5) {
        self.init(keys: (0..<count).map(kind.key), expiring: expiring)
    }

    init(keys: [[UInt8]], expiring: Int) {
        self.keys = keys
        self.expiring = expiring
    }

    var count: Int { keys.count }
    var mayExpire: Bool { true }

    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R { keys[index].withUnsafeBytes(body) }

    func version(_ index: Int) -> Version {
        .value(UInt64(index + 1), expiry: index % expiring == 0 ? UInt64(index + 1) : 0)
    }
}
