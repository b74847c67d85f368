internal import HeartwoodConcurrency

extension ReadPin {
    /// Reads the entries of a page. May block on the disk.
    func read(_ collector: EntryCollector) throws(StoreError) -> EntryCollector {
        var collector = collector
        var cursor = Cursor(self, range: collector.range, reversed: collector.reversed)
        if let last = collector.last { cursor.skip(through: last) }
        let walk = RecordWalk(cursor.paging(by: min(collector.limit, 1_024)))
        try walk.forEach { collector.add($0, $1, $2, $3) }
        return collector
    }

    /// The same, without blocking the caller's thread.
    nonisolated(nonsending) func fetch(_ collector: EntryCollector) async throws(StoreError) -> EntryCollector {
        var collector = collector
        let cursor = Cursor(self, range: collector.range, reversed: collector.reversed)
        let walk = RecordWalk(cursor.paging(by: min(collector.limit, 1_024)))
        while true {
            switch try walk.forEachNow({ collector.add($0, $1, $2, $3) && !TimeSlice.isOver() }) {
            case .ended: return collector
            case .stopped:
                if collector.isFull { return collector }
                await TimeSlice.yield()
            case .mustWait:
                let begun = collector
                return try await BlockingPool.run { () throws(StoreError) in try self.read(begun) }
            }
        }
    }
}
