/// What a transaction keeps of a repository.
final class TransactionNotes {
    /// The catalogue that the transaction relies on, where other programs write.
    var catalogued: Catalogued?
    /// Unique values that were claimed while another record had them, and its id.
    var claims: [(entry: IndexEntry, holder: [UInt8])] = []
}

/// Unique values in a transaction. Uniqueness is judged when it commits, so that two records may exchange a value.
extension RepositoryBase {
    func notes(_ transaction: Transaction) -> TransactionNotes {
        if let notes = transaction.notes[ObjectIdentifier(self)] as? TransactionNotes { return notes }
        let notes = TransactionNotes()
        transaction.notes[ObjectIdentifier(self)] = notes
        return notes
    }

    /// Makes sure that no other record has this unique value when the transaction commits.
    nonisolated(nonsending) func claim(
        _ entry: IndexEntry, for id: [UInt8], _ transaction: Transaction
    ) async throws(StoreError) {
        var holder: [UInt8]?
        if let own = transaction.write(of: entry.key) {
            holder = own.value
        } else if transaction.attempt == 0 {
            // Costs no read. If it fails, the next run reads which record has the value.
            transaction.assume(entry.key, nil)
        } else {
            holder = try await transaction.fetchEntry(entry.key)?.value
        }
        guard let holder, holder != id else { return }
        let notes = notes(transaction)
        if notes.claims.isEmpty {
            transaction.beforeCommit { (transaction) async throws(StoreError) in
                guard let (claim, claimant) = try await self.contested(transaction).first else { return }
                throw .violation(self.violation(claim.entry, holder: claim.holder, claimant: claimant))
            }
        }
        notes.claims.append((entry, holder))
    }

    /// The indexes in which two records have one value, at this point of the transaction: an entry names only one.
    nonisolated(nonsending) func contestedIndexes(
        _ transaction: Transaction
    ) async throws(StoreError) -> Set<Int> {
        Set(try await contested(transaction).map(\.claim.entry.index))
    }

    /// The claims of values that the record which had them still has. If every claimant has given a value up again, the
    /// entry of that record is put back.
    private nonisolated(nonsending) func contested(
        _ transaction: Transaction
    ) async throws(StoreError) -> [(claim: (entry: IndexEntry, holder: [UInt8]), claimant: [UInt8])] {
        guard let notes = transaction.notes[ObjectIdentifier(self)] as? TransactionNotes else { return [] }
        var contested: [(claim: (entry: IndexEntry, holder: [UInt8]), claimant: [UInt8])] = []
        for claim in notes.claims {
            let recordKey = layout.recordKey(claim.holder)
            guard transaction.write(of: claim.entry.key)?.value != claim.holder,
                let record = try await transaction.finalEntry(recordKey),
                try RecordEnvelope.decode(record.value).0.values(in: claim.entry.index).contains(claim.entry.values)
            else { continue }
            if let claimant = transaction.write(of: claim.entry.key)?.value {
                contested.append((claim, claimant))
                continue
            }
            let expires = transaction.write(of: recordKey)?.expires ?? record.expires.map { .at($0) } ?? .never
            transaction.set(claim.entry.key, claim.holder, expires: expires)
        }
        return contested
    }

    private func violation(_ entry: IndexEntry, holder: [UInt8], claimant: [UInt8]) -> UniqueViolation {
        UniqueViolation(
            repository: name, index: nameOfIndex(entry.index),
            values: TupleValue.all(in: entry.values), holder: .one(in: holder), claimant: .one(in: claimant))
    }

    func nameOfIndex(_ number: Int) -> String {
        catalogued.entry.indexes.first { $0.number == number }?.name ?? "\(number)"
    }
}
