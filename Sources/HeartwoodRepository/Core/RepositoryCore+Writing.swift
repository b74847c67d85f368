/// What must be true of a record for it to be written.
enum Expected: Sendable {
    case anything
    case absent
    /// Its revision, from which nothing else is known.
    case revision(SequenceNumber)
    /// What was read of it, before the transaction.
    case read(SequenceNumber, RecordEnvelope, Expiry)
    /// Its entry, as this transaction has read it.
    case found(Entry)
}

/// When a written record expires.
enum NewExpiry: Sendable {
    case set(Expiry)
    /// As the record that it replaces.
    case kept
}

/// A model, encoded for the store.
struct PreparedRecord: Sendable {
    let id: [UInt8]
    let key: [UInt8]
    let payload: [UInt8]
    let envelope: RecordEnvelope
}

/// Writing in a transaction. Uniqueness is judged by what the transaction has written when it commits, so that two
/// records may exchange a unique value.
extension RepositoryCore {
    /// Encodes a model, with its keys in the indexes.
    ///
    /// - Throws: `.invalidArgument` if the coder can't encode it.
    /// - Parameter omitted: The numbers of indexes in which it gets no keys.
    func prepare(
        _ model: Model, _ catalogued: Catalogued, omitting omitted: Set<Int> = []
    ) throws(StoreError) -> PreparedRecord {
        let key = try self.key(model.id)
        var groups: [RecordEnvelope.Group] = []
        for (index, number) in zip(definition.indexes, catalogued.numbers) {
            guard let number, !omitted.contains(number) else { continue }
            groups.append(
                RecordEnvelope.Group(index: number, isUnique: index.isUnique, values: index.keys(of: model)))
        }
        let envelope = RecordEnvelope(version: definition.version, groups: groups)
        do {
            return PreparedRecord(
                id: layout.id(ofRecord: key), key: key, payload: try definition.coder.encode(model), envelope: envelope)
        } catch {
            throw StoreError(
                .invalidArgument,
                "the record \(TupleValue.one(in: layout.id(ofRecord: key))) of \"\(definition.name)\" can't be encoded: "
                    + "see the cause",
                cause: error)
        }
    }

    /// Makes the catalogue a condition, and reads it again where the condition may have failed.
    nonisolated(nonsending) func begin(
        _ transaction: KeyValueTransaction
    ) async throws(StoreError) -> Catalogued {
        guard transaction.store === store else {
            throw StoreError(
                .invalidArgument,
                "the transaction is of another store than the repository \"\(definition.name)\": use one of its own")
        }
        guard hasOtherWriters else { return catalogued }
        if transaction.attempt > 0 {
            let entry = try await transaction.fetchEntry(catalogueKey)
            if entry?.sequence != catalogued.revision { try adopt(entry) }
        } else {
            transaction.require(.sequence(catalogueKey, catalogued.revision))
        }
        return catalogued
    }

    /// Writes models. Of several with one id, the last counts.
    nonisolated(nonsending) func write(
        _ models: [Model], _ expires: NewExpiry, _ expected: Expected, _ transaction: KeyValueTransaction,
        omitting omitted: Set<Int> = []
    ) async throws(StoreError) {
        let catalogued = try await begin(transaction)
        var records: [PreparedRecord] = []
        var positions: [[UInt8]: Int] = [:]
        records.reserveCapacity(models.count)
        for model in models {
            let record = try prepare(model, catalogued, omitting: omitted)
            if let position = positions.updateValue(records.count, forKey: record.key) {
                if case .absent = expected { throw alreadyExists(record.id) }
                records[position] = record
                positions[record.key] = position
            } else {
                records.append(record)
            }
        }
        let needsOld = catalogued.entry.hasEntries
        let olds = try await oldRecords(records.map(\.key), expected, needsOld: needsOld, transaction)
        // First what is given up, so that what is taken over in the same call isn't found in use.
        for (record, old) in zip(records, olds) { removeEntries(of: old, keeping: record, transaction) }
        for (record, old) in zip(records, olds) {
            try await put(record, old, expires, transaction)
        }
    }

    /// A record as the transaction found it.
    private struct OldRecord {
        var envelope: RecordEnvelope
        var expires: Expiry
    }

    private nonisolated(nonsending) func oldRecords(
        _ keys: [[UInt8]], _ expected: Expected, needsOld: Bool, _ transaction: KeyValueTransaction
    ) async throws(StoreError) -> [OldRecord?] {
        let isFirst = transaction.attempt == 0
        if isFirst, keys.allSatisfy({ transaction.write(of: $0) == nil }) {
            switch expected {
            case .absent:
                for key in keys { transaction.require(.absent(key)) }
                return [OldRecord?](repeating: nil, count: keys.count)
            case .read(let revision, let envelope, let expires):
                for key in keys { transaction.require(.sequence(key, revision)) }
                return keys.map { _ in OldRecord(envelope: envelope, expires: expires) }
            case .anything where !needsOld: return [OldRecord?](repeating: nil, count: keys.count)
            case .anything, .revision, .found: break
            }
        }
        let entries: [Entry?]
        if case .found(let entry) = expected {
            entries = [entry]
        } else {
            entries = try await transaction.fetchEntries(of: keys)
        }
        var olds: [OldRecord?] = []
        for (key, entry) in zip(keys, entries) {
            try check(entry, key, expected)
            guard let entry else {
                olds.append(nil)
                continue
            }
            let expires = transaction.write(of: key)?.expires ?? entry.expires.map { .at($0) } ?? .never
            olds.append(OldRecord(envelope: try RecordEnvelope.decode(entry.value).0, expires: expires))
        }
        return olds
    }

    private func check(_ entry: Entry?, _ key: [UInt8], _ expected: Expected) throws(StoreError) {
        let id = layout.id(ofRecord: key)
        switch expected {
        case .anything, .found: return
        case .absent: if entry != nil { throw alreadyExists(id) }
        case .revision(let revision), .read(let revision, _, _):
            guard entry?.sequence == revision else {
                throw StoreError(
                    .conflict,
                    "the record \(TupleValue.one(in: id)) of \"\(definition.name)\" has changed since its revision "
                        + "\(revision): find it again and decide again")
            }
        }
    }

    private func alreadyExists(_ id: [UInt8]) -> StoreError {
        StoreError(
            .alreadyExists,
            "the repository \"\(definition.name)\" has a record \(TupleValue.one(in: id)) already: save it to replace it"
        )
    }

    /// Removes the entries that a record has no longer.
    private func removeEntries(
        of old: OldRecord?, keeping record: PreparedRecord, _ transaction: KeyValueTransaction
    ) {
        guard let old, !old.envelope.groups.isEmpty else { return }
        let kept = Set(record.envelope.entries(layout, id: record.id).map(\.key))
        for entry in old.envelope.entries(layout, id: record.id) where !kept.contains(entry.key) {
            remove(entry, of: record.id, transaction)
        }
    }

    /// Removes an entry, unless another record has taken it over in this transaction.
    private func remove(_ entry: IndexEntry, of id: [UInt8], _ transaction: KeyValueTransaction) {
        if entry.isExclusive, let holder = transaction.write(of: entry.key)?.value, holder != id { return }
        transaction.remove(entry.key)
    }

    private nonisolated(nonsending) func put(
        _ record: PreparedRecord, _ old: OldRecord?, _ newExpiry: NewExpiry, _ transaction: KeyValueTransaction
    ) async throws(StoreError) {
        let expires: Expiry
        switch newExpiry {
        case .set(let expiry): expires = expiry
        case .kept: expires = old?.expires ?? .never
        }
        let before = Set(old?.envelope.entries(layout, id: record.id).map(\.key) ?? [])
        let expiresAlike = old?.expires == .never && expires == .never
        for entry in record.envelope.entries(layout, id: record.id) {
            let isOwn = before.contains(entry.key) && transaction.write(of: entry.key) == nil
            if isOwn && expiresAlike { continue }
            if entry.isExclusive && !isOwn { try await claim(entry, for: record.id, transaction) }
            transaction.put(entry.key, entry.value, expires: expires)
        }
        transaction.put(record.key, record.envelope.encoded(with: record.payload), expires: expires)
    }

    /// Makes sure that no other record has this unique value when the transaction commits.
    private nonisolated(nonsending) func claim(
        _ entry: IndexEntry, for id: [UInt8], _ transaction: KeyValueTransaction
    ) async throws(StoreError) {
        var holder: [UInt8]?
        if let own = transaction.write(of: entry.key) {
            holder = own.value
        } else if transaction.attempt == 0 {
            // Costs no read. If it fails, the next run reads who has the value.
            transaction.require(.absent(entry.key))
        } else {
            holder = try await transaction.fetchEntry(entry.key)?.value
        }
        guard let holder, holder != id else { return }
        transaction.beforeCommit { (transaction) async throws(StoreError) in
            try await self.settle(entry, of: holder, transaction)
        }
    }

    /// Decides who has a unique value that was claimed while a record had it. If that record has it still, and every
    /// claimant has given it up again, its entry is put back.
    ///
    /// - Throws: `.uniqueViolation` if it has it still, and another record has it, too.
    private nonisolated(nonsending) func settle(
        _ entry: IndexEntry, of holder: [UInt8], _ transaction: KeyValueTransaction
    ) async throws(StoreError) {
        let claimant = transaction.write(of: entry.key)?.value
        let recordKey = layout.recordKey(holder)
        guard claimant != holder, let record = try await transaction.fetchEntry(recordKey),
            try RecordEnvelope.decode(record.value).0.entries(layout, id: holder).contains(where: {
                $0.key == entry.key
            })
        else { return }
        if let claimant { throw .violation(violation(entry, holder: holder, claimant: claimant)) }
        let expires = transaction.write(of: recordKey)?.expires ?? record.expires.map { .at($0) } ?? .never
        transaction.put(entry.key, holder, expires: expires)
    }

    func violation(_ entry: IndexEntry, holder: [UInt8], claimant: [UInt8]) -> UniqueViolation {
        UniqueViolation(
            repository: definition.name,
            index: catalogued.entry.indexes.first { $0.number == entry.index }?.name ?? "\(entry.index)",
            values: TupleValue.all(in: entry.values), holder: .one(in: holder), claimant: .one(in: claimant))
    }

    /// How many records one batch of maintenance changes at most.
    var pageSize: Int {
        let limits = store.limits
        let operations = min(limits.operations, limits.conditions) / (2 * definition.indexes.count + 2)
        return max(1, min(256, operations - 1))
    }

    /// Calls `body` with all the keys; with parts of them where that is too much for one batch.
    nonisolated(nonsending) func inPieces(
        _ keys: ArraySlice<[UInt8]>, _ body: (ArraySlice<[UInt8]>) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        if keys.isEmpty { return }
        do throws(StoreError) {
            try await body(keys)
        } catch {
            guard error.code == .tooLarge, keys.count > 1 else { throw error }
            let middle = keys.startIndex + keys.count / 2
            try await inPieces(keys[..<middle], body)
            try await inPieces(keys[middle...], body)
        }
    }

    /// Deletes records, whether they exist or not.
    nonisolated(nonsending) func delete(
        _ keys: [[UInt8]], _ transaction: KeyValueTransaction
    ) async throws(StoreError) {
        let catalogued = try await begin(transaction)
        if catalogued.entry.hasEntries {
            let entries = try await transaction.fetchEntries(of: keys)
            for (key, entry) in zip(keys, entries) {
                guard let entry else { continue }
                let id = layout.id(ofRecord: key)
                for entry in try RecordEnvelope.decode(entry.value).0.entries(layout, id: id) {
                    remove(entry, of: id, transaction)
                }
            }
        }
        for key in keys { transaction.remove(key) }
    }
}
