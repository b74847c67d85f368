/// A set of blocks of a file.
struct BlockSet: Sendable {
    let blockSize: UInt64
    private var words: [UInt64] = []
    private(set) var count = 0

    init(blockSize: Int) { self.blockSize = UInt64(blockSize) }

    /// The end of the part of a byte range that can be filled with at most `count` more blocks. O(blocks).
    func end(of range: Range<UInt64>, taking count: Int) -> UInt64 {
        var left = count
        for block in blocks(of: range) where !contains(block) {
            if left <= 0 { return max(range.lowerBound, UInt64(block) * blockSize) }
            left -= 1
        }
        return range.upperBound
    }

    mutating func insert(_ range: Range<UInt64>) {
        for block in blocks(of: range) where !contains(block) {
            while words.count <= block >> 6 { words.append(0) }
            words[block >> 6] |= 1 << UInt64(block & 63)
            count += 1
        }
    }

    /// Removes the blocks that are wholly beyond a size.
    mutating func cut(to size: UInt64) {
        let first = Int((size + blockSize - 1) / blockSize)
        guard first < words.count * 64 else { return }
        for block in first..<(words.count * 64) where contains(block) {
            words[block >> 6] &= ~(1 << UInt64(block & 63))
            count -= 1
        }
    }

    func contains(_ block: Int) -> Bool {
        block >> 6 < words.count && words[block >> 6] >> UInt64(block & 63) & 1 == 1
    }

    /// Whether the set has all blocks of a byte range.
    func contains(_ range: Range<UInt64>) -> Bool { blocks(of: range).allSatisfy { contains($0) } }

    private func blocks(of range: Range<UInt64>) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        return Int(range.lowerBound / blockSize)..<Int((range.upperBound - 1) / blockSize + 1)
    }
}
