/// The bytes of a file, in pages. Copies share a page until one of them writes to it. Pages of zeros take no memory.
struct PagedBytes: Sendable {
    static let pageSize = 4096
    static let sectorSize = 512

    /// A page with its hash; the hash is 0 if unknown.
    private struct Page: Sendable {
        var bytes: [UInt8]
        var hash: UInt64 = 0

        init() { bytes = [UInt8](repeating: 0, count: PagedBytes.pageSize) }
    }

    private(set) var size: UInt64 = 0
    /// Bytes beyond the size are zeros.
    private var pages: [Page?] = []

    init() {}

    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0, at: 0) }
    }

    /// Reads up to the end of the file. Returns how many bytes were read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        guard offset < size else { return 0 }
        let count = Int(min(UInt64(buffer.count), size - offset))
        Self.forEachPiece(Int(offset), count) { page, inPage, inRange in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[inRange])
            if page < pages.count, let bytes = pages[page]?.bytes {
                bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[inPage])) }
            } else {
                target.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
        return count
    }

    /// All bytes. O(size).
    var bytes: [UInt8] {
        var all = [UInt8](repeating: 0, count: Int(size))
        _ = all.withUnsafeMutableBytes { read(into: $0, at: 0) }
        return all
    }

    /// Writes bytes, and extends the file if it is too short.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        guard !bytes.isEmpty else { return }
        put(bytes, at: offset)
        size = max(size, offset + UInt64(bytes.count))
    }

    /// Zeros a range, without changing the size.
    mutating func zero(_ range: Range<UInt64>) {
        let end = min(range.upperBound, UInt64(pages.count * Self.pageSize))
        guard range.lowerBound < end else { return }
        Self.forEachPiece(Int(range.lowerBound), Int(end - range.lowerBound)) { page, inPage, _ in
            guard pages[page] != nil else { return }
            if inPage.count == Self.pageSize {
                pages[page] = nil
            } else {
                pages[page]!.hash = 0
                pages[page]!.bytes.withUnsafeMutableBytes {
                    _ = UnsafeMutableRawBufferPointer(rebasing: $0[inPage])
                        .initializeMemory(as: UInt8.self, repeating: 0)
                }
            }
        }
    }

    /// Truncates the file, or extends it with zeros. Bytes beyond the new size are discarded.
    mutating func resize(to newSize: UInt64) {
        let end = UInt64(pages.count * Self.pageSize)
        if newSize < end {
            zero(newSize..<end)
            pages.removeLast(max(0, pages.count - (Int(newSize) + Self.pageSize - 1) / Self.pageSize))
        }
        size = newSize
    }

    /// Stores bytes, which may lie beyond the size, without changing the size.
    mutating func put(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        Self.forEachPiece(Int(offset), bytes.count) { page, inPage, inRange in
            let source = UnsafeRawBufferPointer(rebasing: bytes[inRange])
            if page >= pages.count || pages[page] == nil {
                if source.isAllZero { return }
                while pages.count <= page { pages.append(nil) }
                pages[page] = Page()
            }
            pages[page]!.hash = 0
            pages[page]!.bytes.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[inPage]).copyMemory(from: source)
            }
        }
    }

    /// Copies a sector from another file.
    mutating func copySector(_ sector: Int, from other: PagedBytes) {
        let start = sector * Self.sectorSize
        let page = start / Self.pageSize
        guard page < other.pages.count, let bytes = other.pages[page]?.bytes else {
            zero(UInt64(start)..<UInt64(start + Self.sectorSize))
            return
        }
        let inPage = start % Self.pageSize
        bytes.withUnsafeBytes {
            put(UnsafeRawBufferPointer(rebasing: $0[inPage..<(inPage + Self.sectorSize)]), at: UInt64(start))
        }
    }

    /// Whether the file has these bytes at `offset`.
    func holds(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool {
        var isSame = true
        Self.forEachPiece(Int(offset), bytes.count) { page, inPage, inRange in
            guard isSame else { return }
            let wanted = UnsafeRawBufferPointer(rebasing: bytes[inRange])
            if page < pages.count, let held = pages[page]?.bytes {
                isSame = held.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[inPage]).isSame(as: wanted) }
            } else {
                isSame = wanted.isAllZero
            }
        }
        return isSame
    }

    /// Whether a range has only zeros.
    func isZero(in range: Range<UInt64>) -> Bool {
        var isZero = true
        Self.forEachPiece(Int(range.lowerBound), range.count) { page, inPage, _ in
            guard isZero, page < pages.count, let bytes = pages[page]?.bytes else { return }
            isZero = bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[inPage]).isAllZero }
        }
        return isZero
    }

    // MARK: - Hashes

    /// A number that is the same for the same bytes, and very likely different for others.
    var fingerprint: UInt64 {
        var hash = SeededRandom.mix(size &+ 0x51)
        for (number, page) in pages.enumerated() {
            guard let page else { continue }
            let pageHash = page.hash != 0 ? page.hash : Self.hash(page.bytes)
            if pageHash != Self.hashOfZeros { hash &+= SeededRandom.mix(pageHash ^ SeededRandom.mix(UInt64(number))) }
        }
        return hash
    }

    /// Computes and stores the hashes of the pages, for this value and its later copies.
    mutating func rememberHashes() {
        for number in pages.indices where pages[number] != nil && pages[number]!.hash == 0 {
            pages[number]!.hash = Self.hash(pages[number]!.bytes)
        }
    }

    private static let hashOfZeros = hash([UInt8](repeating: 0, count: pageSize))

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { raw in
            var hash: UInt64 = 0x9AE1_6A3B_2F90_404F
            var at = 0
            while at < pageSize {
                let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                let product = (hash ^ word).multipliedFullWidth(by: 0x9FB2_1C65_1E98_DF25)
                hash = product.high ^ product.low &+ word
                at += 8
            }
            return SeededRandom.mix(hash) | 1
        }
    }

    /// Calls `body` with each page number, the range within the page, and the range within the whole.
    private static func forEachPiece(_ offset: Int, _ count: Int, _ body: (Int, Range<Int>, Range<Int>) -> Void) {
        var done = 0
        while done < count {
            let (page, start) = (offset + done).quotientAndRemainder(dividingBy: pageSize)
            let length = min(count - done, pageSize - start)
            body(page, start..<(start + length), done..<(done + length))
            done += length
        }
    }
}

extension PagedBytes: Equatable {
    static func == (one: PagedBytes, other: PagedBytes) -> Bool {
        guard one.size == other.size else { return false }
        for number in 0..<max(one.pages.count, other.pages.count) {
            let first = number < one.pages.count ? one.pages[number]?.bytes : nil
            let second = number < other.pages.count ? other.pages[number]?.bytes : nil
            let isSame =
                switch (first, second) {
                case (nil, nil): true
                case (let bytes?, nil), (nil, let bytes?): bytes.withUnsafeBytes { $0.isAllZero }
                case (let first?, let second?): first == second
                }
            guard isSame else { return false }
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var at = 0
        while at + 8 <= count {
            guard
                loadUnaligned(fromByteOffset: at, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            else { return false }
            at += 8
        }
        while at < count {
            guard self[at] == other[at] else { return false }
            at += 1
        }
        return true
    }
}
