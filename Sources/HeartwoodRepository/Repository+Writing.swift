/// Writing. Every call is one atomic write, which the engine acknowledges as durable as asked. If another task changes
/// what a call has read, the call begins again.
///
/// All throw `.invalidArgument` for a model that can't be encoded, `.tooLarge` beyond the engine's limits,
/// `.uniqueViolation` for a value of a unique index that another record has, and what the engine's writes throw:
/// `.closed`, `.cancelled`, `.outOfSpace`, `.failed`, `.outcomeUnknown` and others. Inside the body of a transaction on
/// the store, use the calls that take the transaction.
extension Repository {
    /// Saves a model: replaces the record with its id, or adds one.
    ///
    /// - Parameters:
    ///   - model: Its id says which record is replaced.
    ///   - expires: When it stops existing, together with its index entries. An earlier expiry is replaced, too.
    ///   - durability: Nil is the engine's default.
    /// - Returns: The revision of the record.
    /// - Complexity: One write, however many records there are. With indexes, the record is read before.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ model: Model, expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        if let record = try plainRecord(model) {
            let operation = WriteBatch.Operation(key: record.key, value: record.bytes, expires: expires)
            return try await store.write(WriteBatch(operations: [operation]), durability: durability)
        }
        return try await write([model], .set(expires), .anything, durability)
    }

    /// Saves many models, all or nothing. Of several with one id, the last counts. Two of them may exchange a value of
    /// a unique index.
    ///
    /// - Returns: The revision of the records.
    /// - Complexity: One batch; its size is limited by the engine. With indexes, the records are read before, all at
    ///   once.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ models: [Model], expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        return try await write(models, .set(expires), .anything, durability)
    }

    /// Saves a model only if there is no record with its id.
    ///
    /// - Throws: `.alreadyExists` if there is.
    /// - Complexity: One write; nothing is read before, unless it fails.
    @discardableResult
    public nonisolated(nonsending) func insert(
        _ model: Model, expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        try await insert([model], expires: expires, durability: durability)
    }

    /// Saves many models, all or nothing, only if there is no record with any of their ids.
    ///
    /// - Throws: `.alreadyExists` if there is, also if two of the models have one id.
    @discardableResult
    public nonisolated(nonsending) func insert(
        _ models: [Model], expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        return try await write(models, .set(expires), .absent, durability)
    }

    /// Saves a change of a model, only if its record is still as it was read.
    ///
    /// - Parameters:
    ///   - model: The changed model.
    ///   - old: What ``ReadableRepository/findVersioned(by:)`` gave. It must have the id of `model`.
    ///   - expires: Nil keeps the expiry.
    ///   - durability: Nil is the engine's default.
    /// - Throws: `.conflict` if the record was changed or deleted since.
    /// - Complexity: One write; nothing is read before, unless it fails.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ model: Model, replacing old: Versioned<Model>, expires: Expiry? = nil, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        guard model.id == old.model.id else {
            throw StoreError(.invalidArgument, "a model replaces a record of another id: keep the id")
        }
        let oldExpiry = old.expires.map { Expiry.at($0) } ?? .never
        return try await write(
            [model], .set(expires ?? oldExpiry), .read(old.revision, old.envelope, oldExpiry), durability)
    }

    /// Saves a model only if its record has this revision.
    ///
    /// - Throws: `.conflict` if the record has another one, or doesn't exist.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ model: Model, ifRevision revision: SequenceNumber, expires: Expiry = .never, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        return try await write([model], .set(expires), .revision(revision), durability)
    }

    /// Reads a record, changes it and saves it, as one atomic step.
    ///
    /// ```swift
    /// let name = try await users.update(7) { user in
    ///     user.visits += 1
    ///     return user.name
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - id: Of the record.
    ///   - expires: Nil keeps the expiry.
    ///   - durability: Nil is the engine's default.
    ///   - body: Changes the model, but not its id. It runs again if another write changes the record meanwhile, so it
    ///     must have no other effects.
    /// - Returns: What `body` returned in the run that was saved; nil if there is no such record.
    /// - Throws: What `body` throws; nothing was written then. The store itself throws only `StoreError`.
    @discardableResult
    public nonisolated(nonsending) func update<R>(
        _ id: Model.ID, expires: Expiry? = nil, durability: Durability? = nil, _ body: (inout Model) throws -> R
    ) async throws -> R? {
        try await store.transaction(durability: durability) { transaction in
            try await update(id, expires: expires, in: transaction, body)
        }.value
    }

    /// Adds to a number of a record, as one atomic step, and returns the sum; nil if there is no such record.
    ///
    /// - Throws: `.invalidArgument` if the sum is beyond the range of the type: nothing is written.
    @discardableResult
    public nonisolated(nonsending) func increment<Number: Numeric>(
        _ path: any WritableKeyPath<Model, Number> & Sendable, of id: Model.ID, by amount: Number = 1,
        durability: Durability? = nil
    ) async throws(StoreError) -> Number? {
        var sum: Number?
        try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
            sum = try await increment(path, of: id, by: amount, in: transaction)
        }
        return sum
    }

    /// Deletes the record with an id, if there is one.
    ///
    /// - Complexity: One write. With indexes, the record is read before.
    public nonisolated(nonsending) func delete(
        _ id: Model.ID, durability: Durability? = nil
    ) async throws(StoreError) {
        try await delete([id], durability: durability)
    }

    /// Deletes the records with these ids, as far as there are any, all or nothing.
    public nonisolated(nonsending) func delete(
        _ ids: [Model.ID], durability: Durability? = nil
    ) async throws(StoreError) {
        try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
            try await delete(ids, in: transaction)
        }
    }

    /// Deletes all records, in batches, each of which is atomic. Records that are saved meanwhile may stay.
    ///
    /// - Returns: How many were deleted.
    /// - Complexity: O(records).
    @discardableResult
    public nonisolated(nonsending) func deleteAll(durability: Durability? = nil) async throws(StoreError) -> Int {
        try Transaction.checkOutside(of: store)
        var rest: KeyRange? = core.base.layout.records
        var count = 0
        while let range = rest {
            let page = try await store.fetchEntries(in: range, reversed: false, limit: core.base.pageSize)
            try await core.base.inPieces(page.entries.map(\.key)[...]) { (keys) async throws(StoreError) in
                try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
                    try await core.base.delete(Array(keys), transaction)
                }
            }
            count += page.entries.count
            rest = page.next
        }
        return count
    }
}

extension Repository {
    /// The only operation that saving a model takes; nil if there is more to do.
    private func plainRecord(_ model: Model) throws(StoreError) -> (key: [UInt8], bytes: [UInt8])? {
        let catalogued = core.base.catalogued
        guard !catalogued.hasEntries, !core.base.hasOtherWriters else { return nil }
        let record = try core.prepare(model, catalogued)
        return (record.key, record.envelope.encoded(with: record.payload))
    }

    private nonisolated(nonsending) func write(
        _ models: [Model], _ expires: NewExpiry, _ expected: Expected, _ durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
            try await core.write(models, expires, expected, transaction)
        }
    }
}
