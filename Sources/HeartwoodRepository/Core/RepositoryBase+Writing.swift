/// What must be true of a record for it to be written.
enum Expected: Sendable {
    case anything
    case absent
    /// Its revision, from which nothing else is known.
    case revision(SequenceNumber)
    /// What was read of it, before the transaction.
    case read(SequenceNumber, RecordEnvelope, Expiry)
    /// The entries of all records, as this transaction has read them.
    case found([Entry])
}

/// When a written record expires.
enum NewExpiry: Sendable {
    case set(Expiry)
    /// As the record that it replaces.
    case kept
}

/// A model, encoded for the store.
struct PreparedRecord: Sendable {
    let key: [UInt8]
    let payload: [UInt8]
    let envelope: RecordEnvelope
}

/// A record as a transaction found it.
private struct OldRecord {
    var envelope: RecordEnvelope
    var expires: Expiry
}

/// Writing in a transaction. Uniqueness is judged by what the transaction has written when it commits, so that two
/// records may exchange a unique value.
extension RepositoryBase {
    /// Writes records. Of several with one key, the last counts.
    nonisolated(nonsending) func write(
        _ all: [PreparedRecord], _ catalogued: Catalogued, _ expires: NewExpiry, _ expected: Expected,
        _ transaction: Transaction
    ) async throws(StoreError) {
        let records = try withoutDuplicates(all, expected)
        let keys = records.map(\.key)
        try transaction.beginWriting()
        do throws(StoreError) {
            let olds = try await oldRecords(keys, expected, needsOld: catalogued.hasEntries, transaction)
            // First what is given up, so that what is taken over in the same call isn't found in use.
            for position in records.indices {
                guard let old = olds[position] else { continue }
                removeEntries(of: old, keeping: records[position], transaction)
            }
            for position in records.indices {
                try await put(records[position], olds[position], expires, transaction)
            }
        } catch {
            transaction.endWriting(error)
            throw error
        }
        transaction.endWriting()
    }

    private func withoutDuplicates(
        _ records: [PreparedRecord], _ expected: Expected
    ) throws(StoreError) -> [PreparedRecord] {
        if records.count < 2 { return records }
        var unique: [PreparedRecord] = []
        var positions: [HashedBytes: Int] = [:]
        positions.reserveCapacity(records.count)
        unique.reserveCapacity(records.count)
        for record in records {
            let position = positions.position(of: record.key, elseNew: unique.count)
            if position == unique.count {
                unique.append(record)
            } else {
                if case .absent = expected { throw insertedTwice(layout.id(ofRecord: record.key)) }
                unique[position] = record
            }
        }
        return unique
    }

    private nonisolated(nonsending) func oldRecords(
        _ keys: [[UInt8]], _ expected: Expected, needsOld: Bool, _ transaction: Transaction
    ) async throws(StoreError) -> [OldRecord?] {
        if transaction.attempt == 0, keys.allSatisfy({ transaction.write(of: $0) == nil }) {
            switch expected {
            case .absent:
                for key in keys { transaction.assume(key, nil) }
                return [OldRecord?](repeating: nil, count: keys.count)
            case .read(let revision, let envelope, let expires):
                for key in keys { transaction.assume(key, revision) }
                return keys.map { _ in OldRecord(envelope: envelope, expires: expires) }
            case .anything where !needsOld: return [OldRecord?](repeating: nil, count: keys.count)
            case .anything, .revision, .found: break
            }
        }
        var olds: [OldRecord?] = []
        olds.reserveCapacity(keys.count)
        for (position, entry) in try await entries(keys, expected, transaction).enumerated() {
            try check(entry, keys[position], expected)
            guard let entry else {
                olds.append(nil)
                continue
            }
            let expires = transaction.write(of: entry.key)?.expires ?? entry.expires.map { .at($0) } ?? .never
            olds.append(OldRecord(envelope: try RecordEnvelope.decode(entry.value).0, expires: expires))
        }
        return olds
    }

    private nonisolated(nonsending) func entries(
        _ keys: [[UInt8]], _ expected: Expected, _ transaction: Transaction
    ) async throws(StoreError) -> [Entry?] {
        if case .found(let entries) = expected {
            for entry in entries { try checkCurrent(entry, transaction) }
            return entries
        }
        if keys.count == 1 { return [try await transaction.fetchEntry(keys[0])] }
        return try await transaction.fetchEntries(of: keys)
    }

    /// Throws if another call of the transaction has written a record since it was read.
    private func checkCurrent(_ entry: Entry, _ transaction: Transaction) throws(StoreError) {
        let own = transaction.write(of: entry.key)
        guard entry.sequence == 0 ? own?.value == entry.value : own == nil else { throw .overlappingCalls }
    }

    private func check(_ entry: Entry?, _ key: [UInt8], _ expected: Expected) throws(StoreError) {
        switch expected {
        case .anything, .found: return
        case .absent: if entry != nil { throw alreadyExists(layout.id(ofRecord: key)) }
        case .revision(let revision), .read(let revision, _, _):
            guard entry?.sequence == revision else { throw changed(layout.id(ofRecord: key), since: revision) }
        }
    }

    private func alreadyExists(_ id: [UInt8]) -> StoreError {
        StoreError(
            .alreadyExists,
            "the repository \"\(name)\" has a record \(TupleValue.one(in: id)) already: save it to replace it")
    }

    private func insertedTwice(_ id: [UInt8]) -> StoreError {
        StoreError(
            .alreadyExists,
            "two records that are inserted into \"\(name)\" have the id \(TupleValue.one(in: id)): give one of them "
                + "another id, or save them if the last one counts")
    }

    private func changed(_ id: [UInt8], since revision: SequenceNumber) -> StoreError {
        StoreError(
            .conflict,
            "the record \(TupleValue.one(in: id)) of \"\(name)\" has changed since its revision \(revision): find it "
                + "again "
                + "and decide again")
    }

    /// Removes the entries that a record has no longer.
    private func removeEntries(
        of old: OldRecord, keeping record: PreparedRecord, _ transaction: Transaction
    ) {
        let id = layout.id(ofRecord: record.key)
        for group in old.envelope.groups {
            let kept = record.envelope.values(in: group.index)
            if kept == group.values { continue }
            for values in group.values where !kept.hasInOrder(values) {
                remove(entry(group, values, id), of: id, expires: !old.expires.isNever, transaction)
            }
        }
    }

    /// Removes an entry, unless another record has taken it over in this transaction.
    ///
    /// - Parameter expires: Whether the entry does, with its record.
    private func remove(
        _ entry: IndexEntry, of id: [UInt8], expires: Bool, _ transaction: Transaction
    ) {
        if entry.isExclusive {
            if let holder = transaction.write(of: entry.key)?.value, holder != id { return }
            if expires { transaction.keep(entry.key) }
        }
        transaction.set(entry.key, nil)
    }

    private func entry(_ group: RecordEnvelope.Group, _ values: [UInt8], _ id: [UInt8]) -> IndexEntry {
        IndexEntry(layout, index: group.index, isUnique: group.isUnique, values: values, id: id)
    }

    private nonisolated(nonsending) func put(
        _ record: PreparedRecord, _ old: OldRecord?, _ newExpiry: NewExpiry, _ transaction: Transaction
    ) async throws(StoreError) {
        let expires: Expiry
        switch newExpiry {
        case .set(let expiry): expires = expiry
        case .kept: expires = old?.expires ?? .never
        }
        let id = layout.id(ofRecord: record.key)
        // What an earlier call of this transaction has written may have been taken over since.
        let isUntouched = transaction.write(of: record.key) == nil
        let neverExpires = expires.isNever && (old?.expires.isNever ?? false)
        for group in record.envelope.groups {
            let before = old?.envelope.values(in: group.index) ?? []
            if before == group.values && isUntouched && neverExpires && !group.isUnique { continue }
            for values in group.values {
                let entry = entry(group, values, id)
                let isOwn = before.hasInOrder(values) && transaction.write(of: entry.key) == nil
                if isOwn && neverExpires { continue }
                if entry.key.count > keyLimit { throw oversized(entry, of: id) }
                if entry.isExclusive {
                    if !isOwn {
                        try await claim(entry, for: id, transaction)
                    } else if old?.expires.isNever == false {
                        // When the old record expires, before the commit, another one may take the value.
                        transaction.keep(entry.key)
                    }
                }
                transaction.set(entry.key, entry.value, expires: expires)
            }
        }
        transaction.set(record.key, record.envelope.encoded(with: record.payload), expires: expires)
    }

    private func oversized(_ entry: IndexEntry, of id: [UInt8]) -> StoreError {
        .oversized(
            OversizedKey(
                repository: name, index: nameOfIndex(entry.index), record: .one(in: id), bytes: entry.key.count,
                limit: keyLimit))
    }

    /// Deletes records, whether they exist or not, when the transaction commits.
    nonisolated(nonsending) func delete(
        _ keys: [[UInt8]], _ transaction: Transaction
    ) async throws(StoreError) {
        let catalogued = try await begin(transaction)
        try transaction.beginWriting()
        do throws(StoreError) {
            if catalogued.hasEntries {
                for entry in try await entries(keys, .anything, transaction) {
                    if let entry { try removeEntries(of: entry, transaction) }
                }
            }
        } catch {
            transaction.endWriting(error)
            throw error
        }
        for key in keys { transaction.set(key, nil) }
        transaction.endWriting()
    }

    /// Deletes a record that the transaction has read.
    func delete(_ found: Entry, _ transaction: Transaction) throws(StoreError) {
        try checkCurrent(found, transaction)
        try removeEntries(of: found, transaction)
        transaction.set(found.key, nil)
    }

    private func removeEntries(of record: Entry, _ transaction: Transaction) throws(StoreError) {
        let id = layout.id(ofRecord: record.key)
        for group in try RecordEnvelope.decode(record.value).0.groups {
            for values in group.values {
                remove(entry(group, values, id), of: id, expires: record.expires != nil, transaction)
            }
        }
    }
}
