/// The bytes of a file in memory, in pages. Copies share a page until one of them writes to it. Only pages with bytes
/// other than zeros take memory, so a hostile size costs nothing.
package struct PagedBytes: Sendable {
    private static let pageSize = 4096

    /// A page with its hash; the hash is 0 if unknown.
    private struct Page: Sendable {
        var bytes = [UInt8](repeating: 0, count: PagedBytes.pageSize)
        var hash: UInt64 = 0

        mutating func change(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
            hash = 0
            bytes.withUnsafeMutableBytes { body($0) }
        }
    }

    package private(set) var size: UInt64 = 0
    /// By number. Bytes beyond the size are zeros, except those of ``put(_:at:)``.
    private var pages: [UInt64: Page] = [:]

    package init() {}

    package init(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0, at: 0) }
    }

    /// Reads up to the end of the file. Returns how many bytes were read.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        guard offset < size else { return 0 }
        let count = Int(min(UInt64(buffer.count), size - offset))
        Self.forEachPiece(offset, count) { page, inPage, inRange in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[inRange])
            if let page = pages[page] {
                page.bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[inPage])) }
            } else {
                target.setToZero()
            }
        }
        return count
    }

    /// All bytes. O(size).
    package var bytes: [UInt8] {
        var all = [UInt8](repeating: 0, count: Int(size))
        _ = all.withUnsafeMutableBytes { read(into: $0, at: 0) }
        return all
    }

    /// Writes bytes, and extends the file if it is too short.
    package mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        guard !bytes.isEmpty else { return }
        put(bytes, at: offset)
        size = max(size, offset + UInt64(bytes.count))
    }

    /// Stores bytes, which may lie beyond the size, without changing the size.
    package mutating func put(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        Self.forEachPiece(offset, bytes.count) { page, inPage, inRange in
            let source = UnsafeRawBufferPointer(rebasing: bytes[inRange])
            if pages[page] == nil {
                if source.isAllZero { return }
                pages[page] = Page()
            }
            pages[page]!.change { UnsafeMutableRawBufferPointer(rebasing: $0[inPage]).copyMemory(from: source) }
        }
    }

    /// Zeros a range, without changing the size.
    package mutating func zero(_ range: Range<UInt64>) {
        for page in heldPages(in: range) {
            let inPage = Self.part(of: range, in: page)
            if inPage.count == Self.pageSize {
                pages[page] = nil
            } else {
                pages[page]!.change { UnsafeMutableRawBufferPointer(rebasing: $0[inPage]).setToZero() }
            }
        }
    }

    /// Truncates the file, or extends it with zeros. Bytes beyond the new size are discarded.
    package mutating func resize(to newSize: UInt64) {
        zero(newSize..<UInt64(Int64.max))
        size = newSize
    }

    /// Copies a range, which must lie in one page, from another file.
    package mutating func copy(_ range: Range<UInt64>, from other: PagedBytes) {
        let page = range.lowerBound / UInt64(Self.pageSize)
        guard let bytes = other.pages[page]?.bytes else { return zero(range) }
        bytes.withUnsafeBytes {
            put(UnsafeRawBufferPointer(rebasing: $0[Self.part(of: range, in: page)]), at: range.lowerBound)
        }
    }

    /// Whether the file has these bytes at `offset`.
    package func holds(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool {
        var isSame = true
        Self.forEachPiece(offset, bytes.count) { page, inPage, inRange in
            guard isSame else { return }
            let wanted = UnsafeRawBufferPointer(rebasing: bytes[inRange])
            if let held = pages[page]?.bytes {
                isSame = held.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[inPage]).isSame(as: wanted) }
            } else {
                isSame = wanted.isAllZero
            }
        }
        return isSame
    }

    /// Whether a range has only zeros.
    package func isZero(in range: Range<UInt64>) -> Bool {
        heldPages(in: range).allSatisfy { page in
            pages[page]!.bytes.withUnsafeBytes {
                UnsafeRawBufferPointer(rebasing: $0[Self.part(of: range, in: page)]).isAllZero
            }
        }
    }

    /// The next run of adjacent pages that were written to. O(pages).
    package func nextData(from offset: UInt64) -> Range<UInt64>? {
        let pageSize = UInt64(Self.pageSize)
        guard offset < size, let first = pages.keys.lazy.filter({ $0 >= offset / pageSize }).min() else { return nil }
        var end = first
        while pages[end] != nil { end += 1 }
        return max(offset, first * pageSize)..<min(size, end * pageSize)
    }

    // MARK: - Hashes

    /// A number that is the same for the same bytes, and very likely different for others.
    package var fingerprint: UInt64 {
        var hash = Self.mix(size &+ 0x51)
        for (number, page) in pages {
            let pageHash = page.hash != 0 ? page.hash : Self.hash(page.bytes)
            if pageHash != Self.hashOfZeros { hash &+= Self.mix(pageHash ^ Self.mix(number)) }
        }
        return hash
    }

    /// Computes and stores the hashes of the pages, for this value and its later copies.
    package mutating func rememberHashes() {
        for (number, page) in pages where page.hash == 0 { pages[number]!.hash = Self.hash(page.bytes) }
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
            return mix(hash) | 1
        }
    }

    /// The last step of SplitMix64: each bit of a number affects all of the result.
    package static func mix(_ number: UInt64) -> UInt64 {
        var z = number
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    // MARK: - Pages

    /// The numbers of the pages of a range that take memory.
    private func heldPages(in range: Range<UInt64>) -> [UInt64] {
        guard !range.isEmpty, !pages.isEmpty else { return [] }
        let numbers = range.lowerBound / UInt64(Self.pageSize)...(range.upperBound - 1) / UInt64(Self.pageSize)
        if numbers.upperBound - numbers.lowerBound < pages.count { return numbers.filter { pages[$0] != nil } }
        return pages.keys.filter(numbers.contains)
    }

    /// The part of a range that is in a page, from the start of the page.
    private static func part(of range: Range<UInt64>, in page: UInt64) -> Range<Int> {
        let start = page * UInt64(pageSize)
        return Int(max(range.lowerBound, start) - start)..<Int(min(range.upperBound - start, UInt64(pageSize)))
    }

    /// Calls `body` with each page number, the range within the page, and the range within the whole.
    private static func forEachPiece(_ offset: UInt64, _ count: Int, _ body: (UInt64, Range<Int>, Range<Int>) -> Void) {
        var done = 0
        while done < count {
            let (page, start) = (offset + UInt64(done)).quotientAndRemainder(dividingBy: UInt64(pageSize))
            let length = min(count - done, pageSize - Int(start))
            body(page, Int(start)..<(Int(start) + length), done..<(done + length))
            done += length
        }
    }
}

extension PagedBytes: Equatable {
    package static func == (one: PagedBytes, other: PagedBytes) -> Bool {
        guard one.size == other.size else { return false }
        return Set(one.pages.keys).union(other.pages.keys).allSatisfy { number in
            switch (one.pages[number]?.bytes, other.pages[number]?.bytes) {
            case (let bytes?, nil), (nil, let bytes?): bytes.withUnsafeBytes(\.isAllZero)
            case (let first, let second): first == second
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are zeros. O(count).
    package var isAllZero: Bool {
        var position = 0
        while position + 8 <= count {
            guard loadUnaligned(fromByteOffset: position, as: UInt64.self) == 0 else { return false }
            position += 8
        }
        return self[position...].allSatisfy { $0 == 0 }
    }

    fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at + 8 <= count {
            guard
                loadUnaligned(fromByteOffset: at, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            else { return false }
            at += 8
        }
        return self[at...].elementsEqual(other[at...])
    }
}
