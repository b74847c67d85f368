/// What ``Repository/moveRecords(to:durability:_:)`` has done and found.
public struct MoveReport: Sendable {
    /// Records that were moved, in this call.
    public var moved = 0
    /// Why records stay where they were, each with the id in its message: `.alreadyExists` for an id that two records
    /// get, `.uniqueViolation`, `.undecodable`, `.invalidArgument` for a value that is too long for a key, and others.
    /// At most 1,000 are listed.
    public var failures: [StoreError] = []

    /// Whether no record had to stay.
    public var isComplete: Bool { failures.isEmpty }
}

extension Repository {
    /// Moves all records to another repository of this store, whose model may have other ids: the way to change ids,
    /// since a migration keeps them.
    ///
    /// ```swift
    /// let old = try await store.repository(of: CustomerV2.self, named: "customers")
    /// let customers = try await store.repository(of: Customer.self, named: "customers-by-email")
    /// let report = try await old.moveRecords(to: customers) { old in
    ///     Customer(id: old.email, name: old.name)
    /// }
    /// ```
    ///
    /// Records are moved in batches, each of which is atomic: a record is always in exactly one of the two, with its
    /// index entries, and keeps its expiry. Interrupted by a crash or a cancellation, it continues when it is called
    /// again. So call it whenever the program starts, before the new repository is used; with nothing to move it costs
    /// one read. What other programs save in the old repository meanwhile is moved by this call or by the next one.
    ///
    /// A record that can't be moved stays, and is listed. Correct it in the old repository, or what `transform` makes
    /// of it, and call this again.
    ///
    /// - Parameters:
    ///   - target: Of the same store, and with another name.
    ///   - durability: Of each batch; nil is the engine's default.
    ///   - transform: The new model of a record. May be called again for a record, and must give the same id each time.
    ///     What it throws is listed.
    /// - Throws: `.invalidArgument` for a repository of another store or the same one; `.cancelled`; what reading and
    ///   writing throw.
    /// - Complexity: O(records).
    public nonisolated(nonsending) func moveRecords<New>(
        to target: Repository<New>, durability: Durability? = nil, _ transform: (Model) throws -> New
    ) async throws(StoreError) -> MoveReport {
        try Transaction.checkOutside(of: store)
        guard target.store === store, target.name != name else {
            throw StoreError(
                .invalidArgument,
                "the records of \"\(name)\" can't be moved to \"\(target.name)\": give a repository of the same "
                    + "store with another name")
        }
        var report = MoveReport()
        var rest: KeyRange? = core.base.layout.records
        let limit = max(1, min(core.base.pageSize, target.core.base.pageSize) / 2)
        while let range = rest {
            if Task.isCancelled {
                throw StoreError(.cancelled, "the task was cancelled: move the rest by another call")
            }
            let page = try await store.fetchEntries(in: range, reversed: false, limit: limit)
            let keys = page.entries.map(\.key)
            do throws(StoreError) {
                try await core.base.inPieces(keys[...]) { (keys) async throws(StoreError) in
                    report.moved += try await move(Array(keys), to: target, durability, transform)
                }
            } catch {
                guard error.isOfARecord else { throw error }
                for key in keys {
                    do throws(StoreError) {
                        report.moved += try await move([key], to: target, durability, transform)
                    } catch {
                        guard error.isOfARecord else { throw error }
                        if report.failures.count < 1_000 { report.failures.append(unmoved(key, error)) }
                    }
                }
            }
            rest = page.next
        }
        return report
    }

    /// Moves records in one transaction.
    ///
    /// - Returns: How many of them are still there to be moved.
    private nonisolated(nonsending) func move<New>(
        _ keys: [[UInt8]], to target: Repository<New>, _ durability: Durability?, _ transform: (Model) throws -> New
    ) async throws(StoreError) -> Int {
        var moved = 0
        try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
            moved = 0
            _ = try await core.base.begin(transaction)
            for entry in try await transaction.fetchEntries(of: keys) {
                guard let entry else { continue }
                // Whatever id it has: records that a coder has rounded can be moved, too.
                let old = try core.decoded(entry)
                let new: New
                do {
                    new = try transform(old)
                } catch {
                    throw .undecodable(core.base.layout.id(ofRecord: entry.key), of: name, as: New.self, error)
                }
                try core.base.delete(entry, transaction)
                let expires = entry.expires.map { Expiry.at($0) } ?? .never
                try await target.core.write([new], .set(expires), .absent, transaction)
                moved += 1
            }
        }
        return moved
    }

    private func unmoved(_ key: [UInt8], _ error: StoreError) -> StoreError {
        var error = error
        let id = TupleValue.one(in: core.base.layout.id(ofRecord: key))
        error.message = "the record \(id) of \"\(name)\" stays there: " + error.message
        return error
    }
}
