internal import HeartwoodFileSystem

/// Walks over a range of a held state, a page of keys at a time. Any reader may use it; it is a value without I/O.
struct Cursor: Sendable {
    let hold: Hold
    let range: KeyRange
    let reversed: Bool
    private var last: [UInt8]?
    private var isDone = false
    private var pageSize = 16

    init(_ hold: Hold, range: KeyRange, reversed: Bool) {
        self.hold = hold
        self.range = range
        self.reversed = reversed
    }

    /// The same walk, which goes on behind a key that it has come to.
    mutating func skip(through key: [UInt8]) { last = key }

    /// The same walk, with pages of a given size.
    func paging(by size: Int) -> Cursor {
        var copy = self
        copy.pageSize = size
        return copy
    }

    /// Fills a page with the next keys, those that had expired left out; false at the end.
    ///
    /// Pages grow from 16 to 1,024: a scan that stops early has cost little, and a long one seeks rarely.
    mutating func next(_ page: KeyPage) throws(StoreError) -> Bool {
        if hold.log.isEnded { throw .closed }
        return nextEvenIfClosed(page)
    }

    /// The same, for a caller that needs no file: what is held stays in memory when the store is closed.
    mutating func nextEvenIfClosed(_ page: KeyPage) -> Bool {
        page.removeAll()
        while !isDone {
            fill(page)
            pageSize = min(1_024, pageSize * 2)
            if !page.isEmpty { return true }
        }
        return false
    }

    private mutating func fill(_ page: KeyPage) {
        let rest = last.map { range.remainder(after: $0, reversed: reversed) } ?? range
        let reader = hold.reader
        let limit = pageSize
        var seen = 0
        var last: [UInt8]?
        hold.log.index.forEach(in: rest, at: hold.point.address, reversed: reversed) { key, version in
            seen += 1
            if reader.isAlive(version) {
                page.append(key, version)
            } else if seen == limit {
                last = [UInt8](key)
            }
            return seen < limit
        }
        isDone = seen < limit
        self.last = last ?? (page.isEmpty ? nil : page.key(page.count - 1)) ?? self.last
    }
}
