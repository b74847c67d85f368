internal import HeartwoodFileSystem

/// Walks over a range of a pinned state, one page of keys at a time. A value type without I/O; any reader can use it.
struct Cursor: Sendable {
    let pin: ReadPin
    let range: KeyRange
    let reversed: Bool
    private var last: [UInt8]?
    private var isDone = false
    private var pageSize = 16

    init(_ pin: ReadPin, range: KeyRange, reversed: Bool) {
        self.pin = pin
        self.range = range
        self.reversed = reversed
    }

    /// Continues the walk after this key.
    mutating func skip(through key: [UInt8]) { last = key }

    /// A copy that starts with pages of this size.
    func paging(by size: Int) -> Cursor {
        var copy = self
        copy.pageSize = size
        return copy
    }

    /// Fills a page with the next keys, without expired ones; false at the end.
    ///
    /// Pages grow from 16 to 1,024 keys: a short scan stays cheap, and a long scan seeks rarely.
    mutating func next(_ page: KeyPage) throws(StoreError) -> Bool {
        if pin.image.isClosed { throw .closed }
        return nextEvenIfClosed(page)
    }

    /// As `next`, for a caller that needs no file: the pinned keys stay in memory after the store is closed.
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
        let reader = pin.reader
        let limit = pageSize
        var seen = 0
        var last: [UInt8]?
        pin.image.index.forEach(in: rest, at: pin.point.address, reversed: reversed) { key, version in
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
