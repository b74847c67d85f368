import Testing

@testable import Heartwood

/// Memory for nodes and versions: never handed out twice, and returned to its pool.
@Suite struct BlockPoolTests {
    @Test func blocksAreDistinctAndReusable() throws {
        var random = SplitMix64(fromEnvironmentFor: "BlockPoolTests")
        var pool = BlockPool()
        defer { pool.destroy() }
        var used: [VersionBlock] = []
        var highest = 0
        for phase in 0..<8 {
            for _ in 0..<2_000 {
                if Int.random(in: 0..<100, using: &random) < (phase % 2 == 0 ? 80 : 20) || used.isEmpty {
                    let block = pool.take()
                    try #require(block.address % 64 == 0 && block.address % 4_096 != 0)
                    block.initialize(.value(UInt64(used.count)), older: nil)
                    used.append(block)
                } else {
                    pool.free(used.remove(at: Int.random(in: 0..<used.count, using: &random)))
                }
                highest = max(highest, used.count)
            }
            try #require(Set(used).count == used.count && pool.count == used.count, "seed \(random.seed)")
            // No block was overwritten by another.
            try #require(used.allSatisfy { $0.newer == nil && $0.older == nil }, "seed \(random.seed)")
        }
        #expect(highest > 500 && pool.byteCount >= used.count * 64)
        for block in used { pool.free(block) }
        #expect(pool.count == 0 && pool.byteCount <= 4_096)
    }

    /// In the order of allocation, in reverse, and spread over the pages.
    @Test(arguments: [0, 1, 2])
    func wholePagesAreReleased(order: Int) {
        var pool = BlockPool()
        defer { pool.destroy() }
        for _ in 0..<3 {
            let blocks = (0..<63 * 40).map { _ in pool.take() }
            #expect(pool.byteCount == 40 * 4_096)
            switch order {
            case 0: for block in blocks { pool.free(block) }
            case 1: for block in blocks.reversed() { pool.free(block) }
            default:
                for part in 0..<63 { for page in 0..<40 { pool.free(blocks[page * 63 + part]) } }
            }
            #expect(pool.byteCount == 4_096)
        }
    }
}

@Suite struct PageArenaTests {
    @Test func pagesAreDistinctAndReusable() throws {
        var random = SplitMix64(fromEnvironmentFor: "PageArenaTests")
        var arena = PageArena()
        defer { arena.destroy() }
        var used: [UnsafeMutableRawPointer] = []
        var known: Set<UnsafeMutableRawPointer> = []
        func take() {
            let page = arena.take()
            page.storeBytes(of: UInt64(UInt(bitPattern: page)), as: UInt64.self)
            known.insert(page)
            used.append(page)
        }
        // Several chunks; fewer, so that memory returns to the system; and the same number again.
        for target in [1_500, 20, 1_500, 0, 700, 1_500] {
            while used.count < target { take() }
            while used.count > target {
                arena.free(used.remove(at: Int.random(in: 0..<used.count, using: &random)))
            }
            try #require(arena.pagesInUse == target && Set(used).count == target, "seed \(random.seed)")
            try #require(used.allSatisfy { UInt(bitPattern: $0) % 4_096 == 0 }, "seed \(random.seed)")
            try #require(
                used.allSatisfy { $0.load(as: UInt64.self) == UInt64(UInt(bitPattern: $0)) }, "seed \(random.seed)")
        }
        #expect(known.count == 1_500, "released pages are reused before new ones")
    }

    /// A released page stays readable, for readers that have its address.
    @Test func freePagesCanBeRead() {
        var arena = PageArena()
        defer { arena.destroy() }
        let pages = (0..<500).map { _ in arena.take() }
        for page in pages { page.storeBytes(of: 77, as: UInt64.self) }
        for page in pages { arena.free(page) }
        let contents = Set(pages.map { $0.load(as: UInt64.self) })
        #expect(contents == [0, 77], "some keep their contents, most returned their memory")
    }
}
