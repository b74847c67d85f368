/// What is true of a record and of an index entry, in one view.
extension VerificationPass {
    /// Judges the records of a page.
    nonisolated(nonsending) func judgeRecords(
        _ page: inout Page, _ repository: CatalogueEntry, _ view: any KeyValueView
    ) async throws(StoreError) {
        let layout = repository.layout
        var expected: [ExpectedEntry] = []
        for entry in page.entries {
            let id = layout.id(ofRecord: entry.key)
            let envelope: RecordEnvelope
            do throws(StoreError) {
                envelope = try RecordEnvelope.decode(entry.value).0
            } catch {
                let what = error.code == .unsupportedFormat ? error.message : "its head doesn't decode"
                page.findings.append(
                    RepositoryFinding(
                        .unreadableRecord, what, key: entry.key, repository: repository.name, id: id))
                continue
            }
            page.versions[envelope.version, default: 0] += 1
            guard isComparing else { continue }
            page.findings += judge(entry, id, envelope, repository)
            if let checkRecord { page.findings += checkRecord(entry, envelope, repository) }
            let judged = Set(repository.indexes.filter { $0.state != .dropping }.map(\.number))
            for index in envelope.entries(layout, id: id) where judged.contains(index.index) {
                expected.append(ExpectedEntry(entry: index, id: id, record: entry.key, expires: entry.expires))
            }
        }
        try await judge(expected, &page.findings, repository, view)
    }

    /// An entry that a record lists.
    private struct ExpectedEntry {
        var entry: IndexEntry
        var id: [UInt8]
        var record: [UInt8]
        var expires: Timestamp?
    }

    private func judge(
        _ entry: Entry, _ id: [UInt8], _ envelope: RecordEnvelope, _ repository: CatalogueEntry
    ) -> [RepositoryFinding] {
        var findings: [RepositoryFinding] = []
        func add(_ kind: RepositoryFinding.Kind, _ what: String, _ index: StoredIndex? = nil) {
            findings.append(
                RepositoryFinding(
                    kind, what, key: entry.key, repository: repository.name, index: index?.name, id: id))
        }
        if !StoredKey.isElement(id) || !repository.hasOrderedIDs && id.first != TupleCode.bytes {
            add(.unreadableID, "its key has no id")
        }
        if envelope.version > repository.version {
            add(
                .unexpectedVersion,
                "it has version \(envelope.version) of the model, and the newest is \(repository.version)")
        } else if envelope.version < repository.oldestVersion {
            add(
                .unexpectedVersion,
                "it has version \(envelope.version) of the model, and none is older than \(repository.oldestVersion)")
        }
        var seen: Set<Int> = []
        for group in envelope.groups {
            let index = repository.indexes.first { $0.number == group.index }
            if !seen.insert(group.index).inserted {
                add(.unknownIndex, "it lists keys in one index twice", index)
            } else if !(1..<repository.nextIndex).contains(group.index) {
                add(.unknownIndex, "it lists keys in an index number \(group.index) that never existed")
            } else if let index, index.isUnique != group.isUnique {
                add(.unknownIndex, "it lists keys as if the index were \(group.isUnique ? "" : "not ")unique", index)
            }
        }
        for index in repository.indexes where index.state == .ready && !seen.contains(index.number) {
            add(.missingKeys, "it lists no keys in the index, which is ready", index)
        }
        return findings
    }

    private nonisolated(nonsending) func judge(
        _ expected: [ExpectedEntry], _ findings: inout [RepositoryFinding], _ repository: CatalogueEntry,
        _ view: any KeyValueView
    ) async throws(StoreError) {
        var rest = expected[...]
        while !rest.isEmpty {
            let part = rest.prefix(512)
            rest = rest.dropFirst(512)
            let entries = try await view.fetchEntries(of: part.map(\.entry.key))
            for (wanted, entry) in zip(part, entries) {
                guard let (kind, what) = Self.difference(wanted, entry, repository) else { continue }
                // Expiry is judged by the clock, which continues while the view is read.
                if wanted.expires != nil, entry == nil {
                    if try await view.fetchEntry(wanted.record) == nil { continue }
                }
                findings.append(
                    RepositoryFinding(
                        kind, what, key: wanted.entry.key, repository: repository.name,
                        index: repository.indexes.first { $0.number == wanted.entry.index }?.name, id: wanted.id,
                        values: wanted.entry.values))
            }
        }
    }

    private static func difference(
        _ wanted: ExpectedEntry, _ entry: Entry?, _ repository: CatalogueEntry
    ) -> (RepositoryFinding.Kind, String)? {
        guard let entry else { return (.missingEntry, "the record lists the entry, and the index doesn't have it") }
        guard entry.value == wanted.entry.value else {
            guard wanted.entry.isExclusive, StoredKey.isElement(entry.value) else {
                return (.wrongEntry, "the entry has a value that it can't have")
            }
            return (.wrongEntry, "the record lists the entry, which leads to record \(TupleValue.one(in: entry.value))")
        }
        guard entry.expires == wanted.expires else {
            return (.wrongExpiry, "the entry expires \(moment(entry.expires)), the record \(moment(wanted.expires))")
        }
        return nil
    }

    private static func moment(_ time: Timestamp?) -> String {
        time.map { "\($0.milliseconds) ms after 1970" } ?? "never"
    }

    /// Judges the entries of an index.
    nonisolated(nonsending) func judgeEntries(
        _ page: inout Page, of number: Int, _ repository: CatalogueEntry, _ view: any KeyValueView
    ) async throws(StoreError) {
        guard isComparing, let index = repository.indexes.first(where: { $0.number == number }),
            index.state != .dropping
        else { return }
        let layout = repository.layout
        let prefix = layout.entriesPrefix(number).count
        var entries: [(entry: Entry, id: [UInt8], values: [UInt8])] = []
        for entry in page.entries {
            guard let (values, id) = StoredKey.parts(Array(entry.key.dropFirst(prefix)), of: index),
                StoredKey.isElement(id ?? entry.value)
            else {
                page.findings.append(
                    RepositoryFinding(
                        .unreadableEntry, "an entry of the index doesn't decode", key: entry.key,
                        repository: repository.name, index: index.name))
                continue
            }
            entries.append((entry, id ?? entry.value, values))
        }
        // A record may have many of the entries.
        let ids = Array(Set(entries.map(\.id)))
        let records = try await view.fetchEntries(of: ids.map(layout.recordKey))
        var listed: [[UInt8]: Set<HashedBytes>?] = [:]
        for case (let id, let record?) in zip(ids, records) {
            let envelope = try? RecordEnvelope.decode(record.value).0
            listed[id] = .some(envelope.map { Set($0.entries(layout, id: id).map { HashedBytes($0.key) }) })
        }
        for (entry, id, values) in entries {
            let record = listed[id]
            if let record {
                // A record that doesn't decode was found before.
                guard let keys = record, !keys.contains(HashedBytes(entry.key)) else { continue }
            } else if entry.expires != nil {
                if try await view.fetchEntry(entry.key) == nil { continue }
            }
            page.findings.append(
                RepositoryFinding(
                    .orphanedEntry,
                    record == nil
                        ? "the index has the entry, and there is no such record"
                        : "the index has the entry, and the record doesn't list it",
                    key: entry.key, repository: repository.name, index: index.name, id: id, values: values))
        }
    }
}
