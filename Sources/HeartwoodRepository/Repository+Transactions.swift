/// The same calls in a transaction on the store, which may change several repositories, and plain keys.
///
/// ```swift
/// try await store.transaction { transaction in
///     guard var account = try await accounts.find(by: 1, in: transaction), account.balance >= 10 else { return }
///     account.balance -= 10
///     try await accounts.save(account, in: transaction)
///     try await payments.insert(Payment(id: 7, amount: 10), in: transaction)
/// }
/// ```
///
/// Reads see what the transaction has written. Unique values are judged when it commits, so that records may exchange
/// them; the error is thrown by the transaction then. All throw what their namesakes without a transaction throw, and
/// `.invalidArgument` for a transaction of another store, for one whose body has ended, and while another call writes
/// with the same transaction.
extension Repository {
    /// Saves a model when the transaction commits.
    public nonisolated(nonsending) func save(
        _ model: Model, expires: Expiry = .never, in transaction: Transaction
    ) async throws(StoreError) {
        try await core.write([model], .set(expires), .anything, transaction)
    }

    /// Saves models when the transaction commits. Of several with one id, the last counts.
    public nonisolated(nonsending) func save(
        _ models: [Model], expires: Expiry = .never, in transaction: Transaction
    ) async throws(StoreError) {
        try await core.write(models, .set(expires), .anything, transaction)
    }

    /// Saves a model when the transaction commits, only if there is no record with its id.
    ///
    /// - Throws: `.alreadyExists`.
    public nonisolated(nonsending) func insert(
        _ model: Model, expires: Expiry = .never, in transaction: Transaction
    ) async throws(StoreError) {
        try await insert([model], expires: expires, in: transaction)
    }

    /// Saves models when the transaction commits, only if there is no record with any of their ids.
    ///
    /// - Throws: `.alreadyExists`, also if two of the models have one id.
    public nonisolated(nonsending) func insert(
        _ models: [Model], expires: Expiry = .never, in transaction: Transaction
    ) async throws(StoreError) {
        try await core.write(models, .set(expires), .absent, transaction)
    }

    /// Reads a record, changes it and saves it when the transaction commits; see ``update(_:expires:durability:_:)``.
    @discardableResult
    public nonisolated(nonsending) func update<R>(
        _ id: Model.ID, expires: Expiry? = nil, in transaction: Transaction, _ body: (inout Model) throws -> R
    ) async throws -> R? {
        guard let entry = try await core.entry(id, transaction) else { return nil }
        var model = try core.model(entry)
        let result = try body(&model)
        try await core.replace(entry, with: model, expires.map { .set($0) } ?? .kept, transaction)
        return result
    }

    /// Adds to a number of a record when the transaction commits.
    @discardableResult
    public nonisolated(nonsending) func increment<Number: Numeric>(
        _ path: any WritableKeyPath<Model, Number> & Sendable, of id: Model.ID, by amount: Number = 1,
        in transaction: Transaction
    ) async throws(StoreError) -> Number? {
        guard let entry = try await core.entry(id, transaction) else { return nil }
        var model = try core.model(entry)
        let sum = try model[keyPath: path].sum(with: amount)
        model[keyPath: path] = sum
        try await core.replace(entry, with: model, .kept, transaction)
        return sum
    }

    /// Deletes the record with an id, if there is one, when the transaction commits.
    public nonisolated(nonsending) func delete(
        _ id: Model.ID, in transaction: Transaction
    ) async throws(StoreError) {
        try await delete([id], in: transaction)
    }

    /// Deletes records, as far as there are any, when the transaction commits.
    public nonisolated(nonsending) func delete(
        _ ids: [Model.ID], in transaction: Transaction
    ) async throws(StoreError) {
        var keys: Set<[UInt8]> = []
        for id in ids { keys.insert(try core.key(id)) }
        try await core.base.delete(Array(keys), transaction)
    }

    /// The model with an id, as the transaction sees it; nil if there is none. That nothing else changes it is a
    /// condition of the commit.
    public nonisolated(nonsending) func find(
        by id: Model.ID, in transaction: Transaction
    ) async throws(StoreError) -> Model? {
        guard let entry = try await core.entry(id, transaction) else { return nil }
        return try core.model(entry)
    }
}

extension Numeric {
    /// - Throws: `.invalidArgument` for an integer beyond the range of its type.
    fileprivate func sum(with amount: Self) throws(StoreError) -> Self {
        guard let integer = self as? any FixedWidthInteger else { return self + amount }
        if let sum = integer.sum(with: amount) as? Self { return sum }
        throw StoreError(.invalidArgument, "a sum is beyond the range of \(Self.self): use a larger type")
    }
}

extension FixedWidthInteger {
    /// Nil if it is beyond the range of the type.
    fileprivate func sum(with amount: Any) -> Any? {
        guard let amount = amount as? Self else { return nil }
        let (sum, overflow) = addingReportingOverflow(amount)
        return overflow ? nil : sum
    }
}

extension RepositoryCore {
    /// The entry of a record, as a transaction sees it.
    ///
    /// - Throws: `.invalidArgument` for a transaction of another store; what reading throws.
    nonisolated(nonsending) func entry(
        _ id: Model.ID, _ transaction: Transaction
    ) async throws(StoreError) -> Entry? {
        try base.check(transaction)
        return try await transaction.fetchEntry(try key(id))
    }

    /// Writes a changed model over the entry that the transaction has read.
    ///
    /// - Throws: `.invalidArgument` if its id has changed.
    nonisolated(nonsending) func replace(
        _ entry: Entry, with model: Model, _ expires: NewExpiry, _ transaction: Transaction
    ) async throws(StoreError) {
        guard try key(model.id) == entry.key else {
            throw StoreError(
                .invalidArgument, "an update has changed the id of a record: delete the old one and insert the new one")
        }
        try await write([model], expires, .found([entry]), transaction)
    }
}
