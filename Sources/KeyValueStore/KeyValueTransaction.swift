/// Reads, decisions and writes that run in isolation from other writes; see
/// ``KeyValueStore/withTransaction(durability:_:)``.
///
/// It reads one view, and sees its own writes on top. What it has read is a condition of the commit. Not `Sendable`,
/// and not usable after its closure: every call then throws `.invalidArgument`.
public final class KeyValueTransaction: KeyValueReader {
    /// The store that it reads and writes.
    public let store: any KeyValueStore
    /// What it reads.
    public let view: any KeyValueView
    /// What it has written, in the order of the first write of each key.
    private var writes = KeyTable<KeyValueBatch.Operation>()
    private var readKeys = KeyTable<Void>()
    private var readRanges: [KeyRange] = []
    private var notedRanges: Set<KeyRange> = []
    private var conditions: [KeyValueCondition] = []
    /// What was assumed of keys instead of reading them: the number of the write that set each; nil if it is absent.
    private var assumptions: [(key: [UInt8], sequence: SequenceNumber?)] = []
    /// How many of them are true of the view.
    private var confirmed = 0
    /// Whether one isn't. Then this run counts for nothing, whatever its body makes of it.
    private var isFalse = false
    /// Whether the body has ended.
    private var isOver = false
    /// Whether a call is between its reads and its writes.
    private var isWriting = false
    /// How often a key was written, and how often it was when that call began.
    private var changes = 0
    private var changesBefore = 0
    /// The error of a call that has left a part of its writes.
    private var failure: StoreError?
    /// What a layer keeps with this run, for each object of its own.
    package var notes: [ObjectIdentifier: AnyObject] = [:]
    private var checks: [nonisolated(nonsending) (KeyValueTransaction) async throws(StoreError) -> Void] = []
    private var effects: [@Sendable () -> Void] = []
    /// How many runs of the transaction have been in vain. The first run may assume instead of reading, with a
    /// condition that fails if it is wrong; a later run must read, so that it can tell what was wrong.
    package let attempt: Int

    init(_ store: any KeyValueStore, _ view: any KeyValueView, attempt: Int) {
        (self.store, self.view, self.attempt) = (store, view, attempt)
    }

    /// - Throws: `.invalidArgument` when the body has ended.
    package func checkOpen() throws(StoreError) { if isOver { throw .transactionIsOver } }

    /// Adds a check of the final state, which runs when the body has returned.
    package func beforeCommit(
        _ check: nonisolated(nonsending) @escaping (KeyValueTransaction) async throws(StoreError) -> Void
    ) {
        checks.append(check)
    }

    /// Makes room for as many more writes, and keys that it reads.
    package func reserve(writes more: Int, reads: Int) {
        writes.reserve(writes.items.count + more)
        readKeys.reserve(readKeys.items.count + reads)
    }

    /// Adds what is done once the transaction has been committed, before its caller continues.
    package func afterCommit(_ effect: @escaping @Sendable () -> Void) { effects.append(effect) }

    func finish() { for effect in effects { effect() } }

    /// What this transaction has written to a key; nil if nothing.
    package func write(of key: [UInt8]) -> KeyValueBatch.Operation? { writes[key] }

    /// Sets a key's value when the transaction commits. O(1).
    ///
    /// - Throws: `.invalidArgument` when the body has ended.
    public func put(_ key: [UInt8], _ value: [UInt8], expires: Expiry = .never) throws(StoreError) {
        try checkOpen()
        set(key, value, expires: expires)
    }

    /// Removes a key, which doesn't have to exist, when the transaction commits. O(1).
    ///
    /// - Throws: `.invalidArgument` when the body has ended.
    public func remove(_ key: [UInt8]) throws(StoreError) {
        try checkOpen()
        set(key, nil)
    }

    /// Adds a condition of the commit. O(1). If it doesn't hold, the transaction runs again; so require only what the
    /// body has read, or what it requires otherwise in the next run.
    ///
    /// - Throws: `.invalidArgument` when the body has ended.
    public func require(_ condition: KeyValueCondition) throws(StoreError) {
        try checkOpen()
        conditions.append(condition)
    }

    /// Sets or removes a key, for a call after ``beginWriting()`` or a check before the commit.
    package func set(_ key: [UInt8], _ value: [UInt8]?, expires: Expiry = .never) {
        changes += 1
        writes.set(key, KeyValueBatch.Operation(key: key, value: value, expires: expires))
    }

    /// Makes it a condition of the commit that a key is unchanged.
    package func keep(_ key: [UInt8]) { readKeys.set(key, ()) }

    /// Begins a call that reads and then writes several keys, without another one in between; ``endWriting(_:)`` must
    /// follow. Two calls, because a closure that waits would cost more.
    ///
    /// - Throws: `.invalidArgument` when the body has ended, or another such call is in progress.
    package func beginWriting() throws(StoreError) {
        try checkOpen()
        if isWriting { throw .overlappingCalls }
        isWriting = true
        changesBefore = changes
    }

    /// - Parameter error: What ended the call. If it has written a part, the transaction can't commit.
    package func endWriting(_ error: StoreError? = nil) {
        isWriting = false
        if let error, changes > changesBefore { failure = failure ?? error }
    }

    /// What this transaction has written to a key: nil if nothing; otherwise its entry, or nil if it was removed.
    private func own(_ key: [UInt8]) -> Entry?? { write(of: key).map(Self.entry) }

    /// The entry of a write of this transaction. A value that it has written counts as not yet expired.
    private static func entry(_ write: KeyValueBatch.Operation) -> Entry? {
        write.value.map { Entry(key: write.key, value: $0, sequence: 0, expires: write.expires.timestamp) }
    }

    /// The entry of a key as this transaction sees it. The key is a condition of the commit, unless this transaction
    /// has written it. A value that this transaction wrote has the sequence number 0.
    public nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        try checkOpen()
        if let own = own(key) { return own }
        let entry = hasUnconfirmed ? try await read([key])[0] : try await view.fetchEntry(key)
        // Not before: a body may continue after a read that has failed, of a key that no condition may have.
        readKeys.set(key, ())
        return entry
    }

    /// The same for a check before the commit, when the body has ended.
    package nonisolated(nonsending) func finalEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        if let own = own(key) { return own }
        let entry = try await read([key])[0]
        readKeys.set(key, ())
        return entry
    }

    /// As ``fetchEntry(_:)`` for many keys.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try checkOpen()
        var entries = [Entry?](repeating: nil, count: keys.count)
        var others: [Int] = []
        for index in keys.indices {
            if let own = own(keys[index]) {
                entries[index] = own
            } else {
                others.append(index)
            }
        }
        if others.isEmpty && !hasUnconfirmed { return entries }
        let read = try await read(others.map { keys[$0] })
        for (index, entry) in zip(others, read) {
            readKeys.set(keys[index], ())
            entries[index] = entry
        }
        return entries
    }

    /// Entries of a range as this transaction sees them. What was read of the range is a condition of the commit: the
    /// range from its beginning to the last entry of the page; the whole range if the page isn't full.
    ///
    /// - Throws: `.invalidArgument` for a limit below 1, and what the view throws.
    /// - Complexity: As of the view, for the page and the keys of its part that this transaction has written.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        guard limit >= 1 else {
            throw StoreError(.invalidArgument, "the limit is \(limit): a page has at least 1 entry")
        }
        try checkOpen()
        try await confirm()
        // Written keys are left out of what the view has: a few more are read at once, many more in further pages.
        let (most, overflow) = limit.addingReportingOverflow(min(limit, writes.items.count))
        var entries: [Entry] = []
        var unread: KeyRange? = range
        while let part = unread, entries.count < limit {
            let page = try await view.fetchEntries(in: part, reversed: reversed, limit: overflow ? .max : most)
            // What the view has after its page isn't known here, so nothing after the page's end may be returned.
            let known = page.next == nil ? part : part.part(through: page.entries.last?.key, reversed: reversed)
            let own = writes.values(in: known)
            let read = own.isEmpty ? page.entries : page.entries.filter { writes[$0.key] == nil }
            // The page is in order already.
            entries +=
                own.isEmpty
                ? read
                : (read + own.compactMap(Self.entry)).sorted { left, right in
                    let order = KeyOrder.compare(left.key, right.key)
                    return reversed ? order > 0 : order < 0
                }
            unread = page.next
        }
        let isFull = entries.count >= limit
        if entries.count > limit { entries.removeLast(entries.count - limit) }
        guard isFull, let last = entries.last?.key else {
            note(range)
            return EntryPage(entries: entries, next: nil)
        }
        note(range.part(through: last, reversed: reversed))
        let rest = range.remainder(after: last, reversed: reversed)
        return EntryPage(entries: entries, next: rest.isEmpty ? nil : rest)
    }

    /// The number of keys of a range as this transaction sees them. The whole range is a condition of the commit.
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        try checkOpen()
        try await confirm()
        note(range)
        var count = try await view.fetchCount(in: range)
        let changed = writes.values(in: range)
        let before = try await view.fetchEntries(of: changed.map(\.key))
        for (write, entry) in zip(changed, before) {
            count += (write.value == nil ? 0 : 1) - (entry == nil ? 0 : 1)
        }
        return count
    }

    /// Whether it has written nothing.
    public var isReadOnly: Bool { writes.items.isEmpty }

    private func note(_ range: KeyRange) {
        if notedRanges.insert(range).inserted { readRanges.append(range) }
    }
}

extension KeyValueTransaction {
    /// Assumes, instead of reading, that a key is absent, or was set by a write: for the first attempt.
    ///
    /// It is a condition of the commit. It is compared with the view before an error of the body is thrown, and before
    /// anything else is read, except for one key that this transaction has written. If it isn't so, the body runs
    /// again, and must read then.
    package func assume(_ key: [UInt8], _ sequence: SequenceNumber?) { assumptions.append((key, sequence)) }

    /// Makes the body run again, in a newer view.
    package func startAgain() -> StoreError {
        isFalse = true
        return StoreError(
            .conflict, "what a transaction assumed isn't so: let this error pass, then its body runs again")
    }

    private var hasUnconfirmed: Bool { isFalse || confirmed < assumptions.count }

    /// Entries of the view, and with them what was assumed, in one call.
    private nonisolated(nonsending) func read(_ keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        if !hasUnconfirmed { return try await view.fetchEntries(of: keys) }
        if isFalse { throw startAgain() }
        let open = assumptions[confirmed...]
        let entries = try await view.fetchEntries(of: keys + open.map(\.key))
        for (assumption, entry) in zip(open, entries.dropFirst(keys.count)) where entry?.sequence != assumption.sequence
        {
            throw startAgain()
        }
        confirmed = max(confirmed, open.endIndex)
        return Array(entries.prefix(keys.count))
    }

    /// Compares with the view what was assumed, before something else is read.
    private nonisolated(nonsending) func confirm() async throws(StoreError) {
        if hasUnconfirmed { _ = try await read([]) }
    }

    /// Ends the body, which has returned.
    ///
    /// - Returns: Whether ``runChecks()`` must follow.
    func endBody() throws(StoreError) -> Bool {
        isOver = true
        if isWriting {
            throw StoreError(
                .invalidArgument,
                "the body of a transaction has returned before a call that writes with it: await every call in it")
        }
        if let failure { throw failure }
        if isFalse { throw startAgain() }
        return !checks.isEmpty
    }

    nonisolated(nonsending) func runChecks() async throws(StoreError) { for check in checks { try await check(self) } }

    /// What to commit. Without writes, what was read needs no condition: it is the state of one moment, that of the
    /// view.
    var batch: KeyValueBatch {
        var batch = KeyValueBatch(operations: writes.items.map(\.value), conditions: conditions)
        if isReadOnly && conditions.isEmpty && !hasUnconfirmed { return batch }
        for (key, sequence) in assumptions {
            batch.conditions.append(sequence.map { .sequence(key, $0) } ?? .absent(key))
        }
        for (key, _) in readKeys.items { batch.conditions.append(.unchangedKey(key, since: view)) }
        for range in readRanges { batch.conditions.append(.unchangedRange(range, since: view)) }
        return batch
    }

    /// Whether a run that has ended in an error counts for nothing: it has assumed what isn't so, or its view has
    /// ended.
    nonisolated(nonsending) func mustRunAgain(after error: any Error) async throws(StoreError) -> Bool {
        isOver = true
        do throws(StoreError) {
            try await confirm()
            // A view of the body's own may have ended, which would be the same in every run.
            if (error as? StoreError)?.code == .viewEnded { _ = try await view.fetchKeys(in: .all, limit: 1) }
            return false
        } catch {
            guard isFalse || error.code == .viewEnded else { throw error }
            return true
        }
    }
}
