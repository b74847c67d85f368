/// Walks over a range of a held state, taking the index's lock once for a page of keys. Any reader may use it; it is
/// a value without I/O.
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

    /// The next keys with their versions, those that had expired left out; nil at the end.
    ///
    /// Pages grow from 16 to 512: a scan that stops early has cost little, and a long one takes the lock rarely.
    mutating func nextPage() throws(StoreError) -> [IndexEntry]? {
        while !isDone {
            if hold.log.isEnded { throw .closed }
            let page = hold.log.index.collect(
                range, after: last, at: hold.sequence, reversed: reversed, limit: pageSize)
            isDone = page.count < pageSize
            pageSize = min(512, pageSize * 2)
            last = page.last?.key ?? last
            let reader = hold.reader
            let alive = page.filter { reader.isAlive($0.version) }
            if !alive.isEmpty { return alive }
        }
        return nil
    }
}
