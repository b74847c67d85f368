/// What a layer on a repository uses that reads an index and its records itself.
extension Repository {
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
    ///
    /// - Complexity: One read; for a record whose head can't be read, also O(entries of all indexes).
    package nonisolated(nonsending) func records(
        at keys: [[UInt8]], in transaction: Transaction
    ) async throws(StoreError) -> [FoundRecord<Model>?] {
        try core.base.check(transaction)
        if keys.isEmpty { return [] }
        var records: [FoundRecord<Model>?] = []
        records.reserveCapacity(keys.count)
        for entry in try await transaction.fetchEntries(of: keys) {
            guard let entry else {
                records.append(nil)
                continue
            }
            do throws(StoreError) {
                records.append(FoundRecord(model: try core.sound(entry), entry: entry))
            } catch {
                records.append(try await standIn(for: entry, error, transaction))
            }
        }
        return records
    }

    /// What stands for a record that doesn't decode. If its head can't be read either, it gets one with the entries
    /// that lead to it, so that it can be replaced and deleted.
    ///
    /// - Throws: The error, if there is no stand-in.
    private nonisolated(nonsending) func standIn(
        for entry: Entry, _ error: StoreError, _ transaction: Transaction
    ) async throws(StoreError) -> FoundRecord<Model> {
        guard let make = core.definition.standIn else { throw error }
        let id = core.base.layout.id(ofRecord: entry.key)
        if let model = make(id, entry.value, error) { return FoundRecord(model: model, entry: entry) }
        // A head of a newer layout is left alone.
        guard error.code == .corruption else { throw error }
        var entry = entry
        entry.value = try await head(of: id, transaction).encoded(with: entry.value)
        guard let model = make(id, entry.value, error) else { throw error }
        return FoundRecord(model: model, entry: entry)
    }

    private nonisolated(nonsending) func head(
        of id: [UInt8], _ transaction: Transaction
    ) async throws(StoreError) -> RecordEnvelope {
        var head = RecordEnvelope(version: core.definition.version, groups: [])
        for index in core.base.catalogued.entry.indexes {
            var group = RecordEnvelope.Group(index: index.number, isUnique: index.isUnique, values: [])
            let prefix = core.base.layout.entriesPrefix(index.number)
            var rest: KeyRange? = .prefix(prefix)
            while let range = rest {
                let page = try await transaction.view.fetchEntries(in: range, reversed: false, limit: 1_024)
                for entry in page.entries {
                    let parts = StoredKey.parts(Array(entry.key.dropFirst(prefix.count)), of: index)
                    if let parts, parts.id ?? entry.value == id { group.values.append(parts.values) }
                }
                rest = page.next
            }
            head.groups.append(group)
        }
        return head
    }

    /// The id of the record that has a value in a unique index of texts, as a transaction sees it; nil if none has.
    ///
    /// - Complexity: One read.
    package nonisolated(nonsending) func holder(
        of value: String, inIndex name: String, _ transaction: Transaction
    ) async throws(StoreError) -> Model.ID? where Model.ID: TupleElement {
        _ = try await core.base.begin(transaction)
        var encoder = TupleEncoder(prefix: try entriesPrefix(ofIndex: name))
        encoder.append(value)
        guard let entry = try await transaction.fetchEntry(encoder.bytes) else { return nil }
        var decoder = TupleDecoder(entry.value)
        return try Model.ID(from: &decoder)
    }

    /// Writes changed models over the records that the transaction has read.
    package nonisolated(nonsending) func replace(
        _ records: [FoundRecord<Model>], in transaction: Transaction
    ) async throws(StoreError) {
        if records.isEmpty { return }
        try await core.write(records.map(\.model), .kept, .found(records.map(\.entry)), transaction)
    }

    /// Deletes records that the transaction has read.
    package nonisolated(nonsending) func delete(
        _ records: [FoundRecord<Model>], in transaction: Transaction
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
