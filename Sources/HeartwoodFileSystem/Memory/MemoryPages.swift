/// Bytes in pages; only pages with bytes other than zeros take memory. Not thread-safe.
///
/// Growing costs nothing; reading and writing are O(count). A dictionary finds the pages, so a hostile size costs
/// nothing either.
struct MemoryPages {
    private static let pageSize = 64 << 10

    private(set) var size: UInt64 = 0
    private var pages: [UInt64: Page] = [:]

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        guard offset < size else { return 0 }
        let count = Int(min(UInt64(buffer.count), size - offset))
        Self.forEachPiece(at: offset, count: count) { piece in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[piece.range])
            if let page = pages[piece.page] {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: page.bytes[piece.rangeInPage]))
            } else {
                target.setToZero()
            }
        }
        return count
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        guard !bytes.isEmpty else { return }
        Self.forEachPiece(at: offset, count: bytes.count) { piece in
            let source = UnsafeRawBufferPointer(rebasing: bytes[piece.range])
            if pages[piece.page] == nil {
                if source.isAllZero { return }
                pages[piece.page] = Page(size: Self.pageSize)
            }
            let target = pages[piece.page]!.bytes[piece.rangeInPage]
            UnsafeMutableRawBufferPointer(rebasing: target).copyMemory(from: source)
        }
        size = max(size, offset + UInt64(bytes.count))
    }

    mutating func resize(to newSize: UInt64) {
        if newSize < size {
            let (page, used) = newSize.quotientAndRemainder(dividingBy: UInt64(Self.pageSize))
            pages = pages.filter { $0.key < page || ($0.key == page && used > 0) }
            if let rest = pages[page]?.bytes[Int(used)...] {
                UnsafeMutableRawBufferPointer(rebasing: rest).setToZero()
            }
        }
        size = newSize
    }

    /// The next run of adjacent pages that were written to. O(pages).
    func nextData(from offset: UInt64) -> Range<UInt64>? {
        guard offset < size else { return nil }
        let pageSize = UInt64(Self.pageSize)
        var page = offset / pageSize
        if pages[page] == nil {
            guard let next = pages.keys.lazy.filter({ $0 > page }).min() else { return nil }
            page = next
        }
        let start = max(offset, page * pageSize)
        while pages[page] != nil { page += 1 }
        return start..<min(size, page * pageSize)
    }

    /// The part of a byte range that is in one page.
    private struct Piece {
        let page: UInt64
        /// The range relative to the start of the page.
        let rangeInPage: Range<Int>
        /// The range relative to the start of the whole range.
        let range: Range<Int>
    }

    private static func forEachPiece(at offset: UInt64, count: Int, _ body: (Piece) -> Void) {
        var done = 0
        while done < count {
            let (page, start) = (offset + UInt64(done)).quotientAndRemainder(dividingBy: UInt64(pageSize))
            let length = min(count - done, pageSize - Int(start))
            body(
                Piece(
                    page: page, rangeInPage: Int(start)..<(Int(start) + length), range: done..<(done + length)))
            done += length
        }
    }

    /// A page, initially zeros.
    private final class Page {
        let bytes: UnsafeMutableRawBufferPointer

        init(size: Int) {
            bytes = .allocate(byteCount: size, alignment: 16)
            bytes.setToZero()
        }

        deinit {
            bytes.deallocate()
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
}
