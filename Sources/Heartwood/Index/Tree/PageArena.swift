internal import CHeartwood

/// Pages of 4,096 bytes, taken from the system in chunks and kept until the end.
///
/// A page that is given back may still be read by somebody who had its address: it is never unmapped, and its memory
/// returns to the system only by letting go of its contents, after which it reads as zeros or as what was there. So whoever reads pages
/// without a lock must recognise a page that changed (`Node.version`), or be kept from it by epochs.
struct PageArena {
    private var chunks: [(start: UnsafeMutableRawPointer, byteCount: Int)] = []
    /// The rest of the newest chunk.
    private var next: UnsafeMutableRawPointer?
    private var remaining = 0
    /// Free pages that have memory.
    private var warm: [UnsafeMutableRawPointer] = []
    /// Free pages whose memory went back to the system.
    private var cold: [UnsafeMutableRawPointer] = []
    private(set) var pagesInUse = 0
    private(set) var pagesEverUsed = 0

    /// Whether what is taken from now on is written to at once, by somebody whom nobody waits for.
    ///
    /// A large page is made at its first touch, all zeros: 5 ms for 2 MiB on the reference machine, and whoever writes a
    /// key waits for it, and all others for him. So those that come with single keys are small until their chunk is full;
    /// then the system may put them together, in its own time.
    var isFilledAtOnce = false

    static let pageBytes = 4_096
    private static let firstChunk = 16 * pageBytes
    private static let lastChunk = 512 * pageBytes

    /// A page with any contents.
    mutating func take() -> UnsafeMutableRawPointer {
        pagesInUse += 1
        if let page = warm.popLast() ?? cold.popLast() { return page }
        if remaining == 0 { grow() }
        let page = next!
        pagesEverUsed += 1
        remaining -= 1
        next = remaining > 0 ? page + Self.pageBytes : nil
        return page
    }

    /// Gives a page back.
    mutating func free(_ page: UnsafeMutableRawPointer) {
        pagesInUse -= 1
        warm.append(page)
        // A few are kept for the next splits; what is many times that goes back to the system.
        guard warm.count >= 64, warm.count > pagesInUse / 8 else { return }
        for page in warm.suffix(32) {
            heartwood_pages_give_back(page, Self.pageBytes)
            cold.append(page)
        }
        warm.removeLast(32)
    }

    private mutating func grow() {
        let bytes = min(Self.lastChunk, max(Self.firstChunk, chunks.last.map { $0.byteCount * 2 } ?? 0))
        guard let pages = heartwood_pages_map(bytes) else {
            fatalError("the system has no memory for the index")
        }
        if isFilledAtOnce {
            heartwood_pages_prefer_large(pages, bytes)
        } else if let full = chunks.last, full.byteCount == Self.lastChunk {
            heartwood_pages_prefer_large(full.start, full.byteCount)
        }
        chunks.append((pages, bytes))
        next = pages
        remaining = bytes / Self.pageBytes
    }

    /// Unmaps everything. Nobody may have an address of a page any more.
    mutating func destroy() {
        for chunk in chunks { heartwood_pages_unmap(chunk.start, chunk.byteCount) }
        chunks = []
    }
}
