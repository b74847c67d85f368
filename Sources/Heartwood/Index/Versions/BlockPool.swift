/// Memory for version blocks: pages that are divided into blocks of 64 bytes. A page is freed when all its blocks are
/// free, unless it is the last one.
///
/// The first block of each page is its header: the number of blocks in use, the first free block, and the links of the
/// list of pages that have free blocks.
struct BlockPool {
    private var arena = PageArena()
    /// The first page that has a free block.
    private var open: UnsafeMutableRawPointer?
    private(set) var count = 0

    private static var perPage: Int { PageArena.pageBytes / VersionBlock.byteCount - 1 }

    var byteCount: Int { arena.pagesInUse * PageArena.pageBytes }

    mutating func take() -> VersionBlock {
        count += 1
        let page = open ?? addPage()
        let header = Header(page)
        let block = header.firstFree!
        header.firstFree = block.load(as: UnsafeMutableRawPointer?.self)
        header.used += 1
        if header.firstFree == nil { unlink(page) }
        return VersionBlock(block)
    }

    mutating func free(_ block: VersionBlock) {
        count -= 1
        let page = UnsafeMutableRawPointer(bitPattern: UInt(block.address) & ~UInt(PageArena.pageBytes - 1))!
        let header = Header(page)
        let wasFull = header.firstFree == nil
        block.memory.storeBytes(of: header.firstFree, as: UnsafeMutableRawPointer?.self)
        header.firstFree = block.memory
        header.used -= 1
        if wasFull { link(page) }
        if header.used == 0, count > 0 {
            unlink(page)
            arena.free(page)
        }
    }

    private mutating func addPage() -> UnsafeMutableRawPointer {
        let page = arena.take()
        page.initializeMemory(as: Header.Fields.self, to: Header.Fields())
        let header = Header(page)
        for index in stride(from: Self.perPage, through: 1, by: -1) {
            let block = page + index * VersionBlock.byteCount
            block.storeBytes(of: header.firstFree, as: UnsafeMutableRawPointer?.self)
            header.firstFree = block
        }
        link(page)
        return page
    }

    private mutating func link(_ page: UnsafeMutableRawPointer) {
        let header = Header(page)
        header.previous = nil
        header.next = open
        if let open { Header(open).previous = page }
        open = page
    }

    private mutating func unlink(_ page: UnsafeMutableRawPointer) {
        let header = Header(page)
        if let previous = header.previous { Header(previous).next = header.next } else { open = header.next }
        if let next = header.next { Header(next).previous = header.previous }
    }

    mutating func destroy() { arena.destroy() }

    private struct Header {
        struct Fields {
            var used = 0
            var firstFree: UnsafeMutableRawPointer?
            var previous: UnsafeMutableRawPointer?
            var next: UnsafeMutableRawPointer?
        }

        private let fields: UnsafeMutablePointer<Fields>

        init(_ page: UnsafeMutableRawPointer) { fields = page.assumingMemoryBound(to: Fields.self) }

        var used: Int {
            get { fields.pointee.used }
            nonmutating set { fields.pointee.used = newValue }
        }
        var firstFree: UnsafeMutableRawPointer? {
            get { fields.pointee.firstFree }
            nonmutating set { fields.pointee.firstFree = newValue }
        }
        var previous: UnsafeMutableRawPointer? {
            get { fields.pointee.previous }
            nonmutating set { fields.pointee.previous = newValue }
        }
        var next: UnsafeMutableRawPointer? {
            get { fields.pointee.next }
            nonmutating set { fields.pointee.next = newValue }
        }
    }
}
