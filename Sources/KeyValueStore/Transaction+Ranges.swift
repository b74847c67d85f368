/// Pages of entries, and the removal of ranges: what the calls that wait and those that block have in common.
extension Transaction {
    /// A page while it is read.
    struct Paging {
        let range: KeyRange
        let reversed: Bool
        let limit: Int
        /// How many entries to ask the view for. Written keys are left out of what it has: a few more are read at once,
        /// many more in further pages.
        let most: Int
        var entries: [Entry] = []
        /// The part that isn't read yet.
        var unread: KeyRange?

        var next: KeyRange? { entries.count < limit ? unread : nil }
    }

    func beginPaging(_ range: KeyRange, _ reversed: Bool, _ limit: Int) throws(StoreError) -> Paging {
        try EntryPage.check(limit: limit)
        try checkOpen()
        let (most, overflow) = limit.addingReportingOverflow(min(limit, writeCount))
        return Paging(range: range, reversed: reversed, limit: limit, most: overflow ? .max : most, unread: range)
    }

    /// Adds a page of the view, and what this transaction has written in that part.
    func add(_ page: EntryPage, to paging: inout Paging) {
        guard let part = paging.unread else { return }
        let reversed = paging.reversed
        // What the view has after its page isn't known here, so nothing after the page's end may be returned.
        let known = page.next == nil ? part : part.part(through: page.entries.last?.key, reversed: reversed)
        let own = writes(in: known)
        let read = own.isEmpty ? page.entries : page.entries.filter { write(of: $0.key) == nil }
        // The page is in order already.
        paging.entries +=
            own.isEmpty
            ? read
            : (read + own.compactMap { self.own($0.key) ?? nil }).sorted { left, right in
                let order = KeyOrder.compare(left.key, right.key)
                return reversed ? order > 0 : order < 0
            }
        paging.unread = page.next
    }

    /// The page, and what was read as a condition of the commit.
    func finish(_ paging: Paging) -> EntryPage {
        var entries = paging.entries
        let isFull = entries.count >= paging.limit
        if entries.count > paging.limit { entries.removeLast(entries.count - paging.limit) }
        guard isFull, let last = entries.last?.key else {
            note(paging.range)
            return EntryPage(entries: entries, next: nil)
        }
        note(paging.range.part(through: last, reversed: paging.reversed))
        let rest = paging.range.remainder(after: last, reversed: paging.reversed)
        return EntryPage(entries: entries, next: rest.isEmpty ? nil : rest)
    }

    /// A range whose keys are being removed.
    struct Removal {
        let range: KeyRange
        let limit: Int
        /// The keys of the range that exist because the transaction has written them, in descending order.
        var own: [[UInt8]]
        var last: [UInt8]?
        /// How many keys are removed.
        var count = 0
        /// The part whose keys aren't known yet.
        var next: KeyRange?

        static var pageKeys: Int { 1_024 }
    }

    func beginRemoval(of range: KeyRange, _ limit: Int?) throws(StoreError) -> Removal {
        if let limit { try EntryPage.check(limit: limit) }
        try checkOpen()
        let own = writes(in: range).filter { self.own($0.key) != .some(nil) }.map(\.key)
        return Removal(
            range: range, limit: limit ?? .max, own: own.sorted { KeyOrder.compare($0, $1) > 0 }, next: range)
    }

    /// Removes a page of the view's keys, and what this transaction has written before its end.
    func remove(_ keys: [[UInt8]], in removal: inout Removal) {
        func remove(_ key: [UInt8]) {
            set(key, nil)
            (removal.last, removal.count) = (key, removal.count + 1)
        }
        func removeOwn(before key: [UInt8]?) {
            while removal.count < removal.limit, let own = removal.own.last,
                key.map({ KeyOrder.compare(own, $0) < 0 }) ?? true
            {
                removal.own.removeLast()
                remove(own)
            }
        }
        let hasMore = keys.count == Removal.pageKeys
        for key in keys {
            removeOwn(before: key)
            if removal.count == removal.limit { break }
            if write(of: key) == nil { remove(key) }
        }
        if !hasMore { removeOwn(before: nil) }
        removal.next = hasMore && removal.count < removal.limit ? removal.range.after(keys[keys.count - 1]) : nil
        guard removal.next == nil else { return }
        note(removal.range.part(through: removal.count == removal.limit ? removal.last : nil, reversed: false))
    }

    /// Removes the keys of a range when the transaction commits: those that it sees, each by an operation of its own.
    /// What was read of the range is a condition of the commit, as of ``fetchEntries(in:reversed:limit:)``.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - limit: How many keys to remove at most, at least 1; the first ones are removed. Nil for all.
    /// - Returns: The number of removed keys.
    /// - Throws: `.invalidArgument` for a limit below 1; what reading keys throws.
    /// - Complexity: As of the view, for the keys. No value is read from a disk.
    @discardableResult
    public nonisolated(nonsending) func remove(in range: KeyRange, limit: Int? = nil) async throws(StoreError) -> Int {
        var removal = try beginRemoval(of: range, limit)
        try await confirm()
        while let part = removal.next {
            remove(try await view.fetchKeys(in: part, limit: Removal.pageKeys), in: &removal)
        }
        return removal.count
    }

    /// Changes when a key expires, and keeps its value, when the transaction commits.
    ///
    /// - Returns: Whether the key exists; if it doesn't, nothing is written.
    /// - Throws: `.invalidArgument`, and what the view throws.
    /// - Complexity: The value is read, and written again.
    @discardableResult
    public nonisolated(nonsending) func touch(
        _ key: some ByteSource, expires: Expiry
    ) async throws(StoreError) -> Bool {
        guard let value = try await fetchEntry(key)?.value else { return false }
        try put(key, value, expires: expires)
        return true
    }
}
