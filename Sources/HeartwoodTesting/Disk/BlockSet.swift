/// Some of the blocks of a file.
struct BlockSet: Sendable {
    let blockSize: UInt64
    private var words: [UInt64] = []
    private(set) var count = 0

    init(blockSize: Int) { self.blockSize = UInt64(blockSize) }

    /// How many blocks of a range of bytes are not among them. O(blocks).
    func missing(in range: Range<UInt64>) -> Int {
        blocks(of: range).reduce(0) { contains($1) ? $0 : $0 + 1 }
    }

    mutating func insert(_ range: Range<UInt64>) {
        for block in blocks(of: range) where !contains(block) {
            while words.count <= block >> 6 { words.append(0) }
            words[block >> 6] |= 1 << UInt64(block & 63)
            count += 1
        }
    }

    /// Takes out what lies wholly beyond a size.
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

    private func blocks(of range: Range<UInt64>) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        return Int(range.lowerBound / blockSize)..<Int((range.upperBound - 1) / blockSize + 1)
    }
}
