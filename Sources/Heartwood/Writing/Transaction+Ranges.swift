extension Transaction {
    /// Returns the entries of a range, in order, as this transaction sees them. May block on the disk.
    ///
    /// Entries that this transaction wrote have the sequence number 0.
    ///
    /// - Complexity: O(entries) in time and memory: the whole range is a condition of the commit.
    public func entries(in range: KeyRange, reversed: Bool = false) throws(StoreError) -> [Entry] {
        note(range)
        var entries: [Entry] = []
        let walk = RecordWalk(pin, range: range, reversed: false)
        try walk.forEach { key, version, value, sequence in
            let entry = Entry(key, version, value, sequence)
            if writes[entry.key] == nil { entries.append(entry) }
            return true
        }
        for (key, write) in writes where lend(key, { range.contains($0) }) {
            if let entry = ownEntry(key, write) { entries.append(entry) }
        }
        entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
        if reversed { entries.reverse() }
        return entries
    }
}
