/// What a layer on a repository uses that reads an index and its records itself.
extension Repository {
    /// The store that it writes to.
    package var keyValueStore: any KeyValueStore { store }

    /// Before the values of each entry of an index.
    ///
    /// - Throws: `.unknownIndex` if no complete index has this name.
    package func entriesPrefix(ofIndex name: String) throws(StoreError) -> [UInt8] {
        let catalogued = core.base.catalogued
        guard let position = core.definition.indexes.firstIndex(where: { $0.name == name }),
            let number = catalogued.numbers[position], catalogued.isReady(number)
        else {
            throw StoreError(
                .unknownIndex,
                "the repository \"\(self.name)\" has no complete index \"\(name)\": open it again with the newest "
                    + "program that uses it")
        }
        return core.base.layout.entriesPrefix(number)
    }

    /// The key of a record.
    package func recordKey(_ id: Model.ID) throws(StoreError) -> [UInt8] { try core.key(id) }

    /// The key of a record, by the id at the end of the key of one of its entries.
    package func recordKey(encodedID: ArraySlice<UInt8>) -> [UInt8] { core.base.layout.recordPrefix + encodedID }

    /// The records with these keys, as a transaction sees them; nil for one that is absent. That nothing else changes
    /// them is a condition of the commit.
    package nonisolated(nonsending) func records(
        at keys: [[UInt8]], in transaction: KeyValueTransaction
    ) async throws(StoreError) -> [FoundRecord<Model>?] {
        try core.base.check(transaction)
        if keys.isEmpty { return [] }
        var records: [FoundRecord<Model>?] = []
        records.reserveCapacity(keys.count)
        for entry in try await transaction.fetchEntries(of: keys) {
            records.append(
                try entry.map { (entry) throws(StoreError) in FoundRecord(model: try core.model(entry), entry: entry) })
        }
        return records
    }

    /// Writes changed models over the records that the transaction has read.
    package nonisolated(nonsending) func replace(
        _ records: [FoundRecord<Model>], in transaction: KeyValueTransaction
    ) async throws(StoreError) {
        if records.isEmpty { return }
        try await core.write(records.map(\.model), .kept, .found(records.map(\.entry)), transaction)
    }

    /// Deletes records that the transaction has read.
    package nonisolated(nonsending) func delete(
        _ records: [FoundRecord<Model>], in transaction: KeyValueTransaction
    ) async throws(StoreError) {
        if records.isEmpty { return }
        _ = try await core.base.begin(transaction)
        for record in records { try core.base.delete(record.entry, transaction) }
    }
}

/// A record as a transaction has read it. Its id must not be changed.
package struct FoundRecord<Model: Sendable>: Sendable {
    /// The model, which may be changed.
    package var model: Model
    let entry: Entry

    /// The number of the write that saved it; 0 if that is the transaction's own.
    package var revision: SequenceNumber { entry.sequence }
}
