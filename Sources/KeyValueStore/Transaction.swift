/// Reads, decisions and writes that run in isolation from other writes; see
/// ``KeyValueStore/transaction(durability:_:)``.
///
/// It reads one view, and sees its own writes on top. What it has read is a condition of the commit, also that a key
/// doesn't exist; what it has written itself is not. Not `Sendable`, and not usable after its closure: every call then
/// throws `.invalidArgument`.
///
/// `fetch` and the calls named after it work on every store. `get` and its family block, at most on a disk; on a store
/// on other machines, whose reads wait for a network, they throw `.invalidArgument`.
public final class Transaction: KeyValueReader {
    /// The store that it reads and writes.
    public let store: any KeyValueStore
    /// What it reads.
    public let view: any KeyValueView
    /// What it has written, in the order of the first write of each key.
    private var writes = KeyTable<WriteBatch.Operation>()
    private var readKeys = KeyTable<Void>()
    private var readRanges: [KeyRange] = []
    private var notedRanges: Set<KeyRange> = []
    private var conditions: [Condition] = []
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
    private var checks: [nonisolated(nonsending) (Transaction) async throws(StoreError) -> Void] = []
    private var effects: [@Sendable () -> Void] = []
    /// How many runs of the transaction have been in vain. The first run may assume instead of reading, with a
    /// condition that fails if it is wrong; a later run must read, so that it can tell what was wrong.
    package let attempt: Int

    /// The time from which `.after` expiries count.
    private lazy var now = store.now

    package init(_ store: any KeyValueStore, _ view: any KeyValueView, attempt: Int) {
        (self.store, self.view, self.attempt) = (store, view, attempt)
    }

    /// - Throws: `.invalidArgument` when the body has ended.
    package func checkOpen() throws(StoreError) { if isOver { throw .transactionIsOver } }

    /// Adds a check of the final state, which runs when the body has returned.
    package func beforeCommit(
        _ check: nonisolated(nonsending) @escaping (Transaction) async throws(StoreError) -> Void
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

    package func finish() { for effect in effects { effect() } }

    /// What this transaction has written to a key; nil if nothing.
    package func write(of key: [UInt8]) -> WriteBatch.Operation? { writes[key] }

    /// Sets a key's value when the transaction commits. O(1), without the condition.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value; may be empty.
    ///   - expires: When the key stops existing; `.after` counts from the first one of the transaction.
    /// - Throws: `.invalidArgument`, `.tooLarge`.
    public func put(_ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never) throws(StoreError) {
        try checkOpen()
        let (key, value) = (key.byteArray, value.byteArray)
        try store.limits.check(key, valueBytes: value.count)
        set(key, value, expires: expires.counted { now })
    }

    /// Removes a key, which doesn't have to exist, when the transaction commits. O(1).
    ///
    /// - Throws: `.invalidArgument`.
    public func remove(_ key: some ByteSource) throws(StoreError) {
        try checkOpen()
        let key = key.byteArray
        try store.limits.check(key)
        set(key, nil)
    }

    /// Adds a condition of the commit. O(1). If it doesn't hold, the transaction runs again; so require only what the
    /// body has read, or what it requires otherwise in the next run.
    ///
    /// - Throws: `.invalidArgument` when the body has ended.
    public func require(_ condition: Condition) throws(StoreError) {
        try checkOpen()
        conditions.append(condition)
    }

    /// Sets or removes a key, for a call after ``beginWriting()`` or a check before the commit.
    package func set(_ key: [UInt8], _ value: [UInt8]?, expires: Expiry = .never) {
        changes += 1
        writes.set(key, WriteBatch.Operation(key: key, value: value, expires: expires))
    }

    /// What this transaction has written in a range, in no order.
    func writes(in range: KeyRange) -> [WriteBatch.Operation] { writes.values(in: range) }

    var writeCount: Int { writes.items.count }

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

    /// What this transaction has written to a key: nil if nothing; otherwise its entry, or nil if it is absent.
    func own(_ key: [UInt8]) -> Entry?? { write(of: key).map(entry) }

    /// The entry of a write of this transaction, unless it has expired.
    private func entry(_ write: WriteBatch.Operation) -> Entry? {
        guard let value = write.value else { return nil }
        if let expires = write.expires.timestamp, expires <= now { return nil }
        return Entry(key: write.key, value: value, sequence: 0, expires: write.expires.timestamp)
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
    /// ```swift
    /// let next = try await transaction.fetchEntries(in: .prefix("todo:"), limit: 1).entries.first
    /// ```
    ///
    /// - Throws: `.invalidArgument` for a limit below 1, and what the view throws.
    /// - Complexity: As of the view, for the page and the keys of its part that this transaction has written.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        var paging = try beginPaging(range, reversed, limit)
        try await confirm()
        while let part = paging.next {
            add(try await view.fetchEntries(in: part, reversed: reversed, limit: paging.most), to: &paging)
        }
        return finish(paging)
    }

    /// The number of keys of a range as this transaction sees them. The whole range is a condition of the commit.
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        try checkOpen()
        try await confirm()
        note(range)
        let changed = writes.values(in: range)
        let before = try await view.fetchEntries(of: changed.map(\.key)).count { $0 != nil }
        return try await view.fetchCount(in: range) - before + changed.count { entry($0) != nil }
    }

    /// Whether it has written nothing.
    public var isReadOnly: Bool { writes.items.isEmpty }

    /// Makes it a condition of the commit that a range is unchanged.
    func note(_ range: KeyRange) {
        if notedRanges.insert(range).inserted { readRanges.append(range) }
    }
}

extension Transaction {
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

    var hasUnconfirmed: Bool { isFalse || confirmed < assumptions.count }

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
    nonisolated(nonsending) func confirm() async throws(StoreError) {
        if hasUnconfirmed { _ = try await read([]) }
    }

    /// The same on the spot.
    func confirm(by view: any LocalKeyValueView) throws(StoreError) {
        if isFalse { throw startAgain() }
        for (key, sequence) in assumptions[confirmed...] where try view.entry(key)?.sequence != sequence {
            throw startAgain()
        }
        confirmed = assumptions.count
    }

    /// Ends the body, which has returned.
    ///
    /// - Returns: Whether ``runChecks()`` must follow.
    package func endBody() throws(StoreError) -> Bool {
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

    /// What to write. Without writes, what was read needs no condition: it is the state of one moment, that of the
    /// view.
    package var batch: WriteBatch {
        var conditions = conditions
        if !(isReadOnly && conditions.isEmpty && !hasUnconfirmed) {
            for (key, sequence) in assumptions {
                conditions.append(sequence.map { .sequence(key, $0) } ?? .absent(key))
            }
            for (key, _) in readKeys.items { conditions.append(.unchangedKey(key, since: view)) }
            for range in readRanges { conditions.append(.unchangedRange(range, since: view)) }
        }
        return WriteBatch(operations: writes.items.map(\.value), conditions: conditions)
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
