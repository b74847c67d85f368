internal import CHeartwood

/// Pages of 4,096 bytes, taken from the system in chunks that stay mapped until `destroy`.
///
/// A reader that still has the address of a freed page may read it. The page is never unmapped. Its memory can return
/// to the system, but then the page reads as zeros or as its old contents. So readers without a lock must detect that a
/// page has changed (`Node.version`), or be protected by epochs.
struct PageArena {
    private var chunks: [(start: UnsafeMutableRawPointer, byteCount: Int)] = []
    /// The rest of the newest chunk.
    private var next: UnsafeMutableRawPointer?
    private var remaining = 0
    /// Free pages that have memory.
    private var warm: [UnsafeMutableRawPointer] = []
    /// Free pages whose memory was returned to the system.
    private var cold: [UnsafeMutableRawPointer] = []
    private(set) var pagesInUse = 0
    private(set) var pagesEverUsed = 0

    /// Whether new pages are filled at once, by a thread that no other thread waits for.
    ///
    /// If so, large pages are requested. The system zeroes a large page at its first access, which takes 5 ms for 2 MiB
    /// on the reference machine. A thread that writes a key would wait for it, and all other threads for that one. So
    /// pages that are needed for single keys stay small until their chunk is full; then the system may combine them in
    /// the background.
    var isFilledAtOnce = false

    static let pageBytes = 4_096
    private static let firstChunk = 16 * pageBytes
    private static let lastChunk = 512 * pageBytes

    /// A page with arbitrary contents.
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

    /// Frees a page.
    mutating func free(_ page: UnsafeMutableRawPointer) {
        pagesInUse -= 1
        warm.append(page)
        // Keeps some free pages for the next splits; returns memory to the system when there are many more.
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

    /// Unmaps everything. No thread may have the address of a page any more.
    mutating func destroy() {
        for chunk in chunks { heartwood_pages_unmap(chunk.start, chunk.byteCount) }
        chunks = []
    }
}
