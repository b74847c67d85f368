internal import Foundation

/// One run of maintenance: over all records, from where the last run was interrupted, and then over the entries of
/// dropped indexes.
struct MaintenancePass<Model: Codable & Identifiable & Sendable> where Model.ID: Codable & SendableMetatype {
    private let core: RepositoryCore<Model>
    private let store: any KeyValueStore
    private let progressKey: [UInt8]
    private var report = MaintenanceReport()
    private var generation = 0
    /// Indexes in which two records claim one value, or a value is too long for a key.
    private var violated: Set<Int> = []
    /// Dropped indexes whose entries were removed.
    private var removed: Set<Int> = []
    /// Whether something was found that only a run over all records can find again.
    private var isIncomplete: Bool {
        !report.violations.isEmpty || !report.undecodable.isEmpty || !report.unwritable.isEmpty
    }
    /// Whether a record could not be rewritten at all.
    private var hasLeftOut = false

    /// How far a run has come; stored in the same batch as what it has rewritten.
    private struct Progress: Codable {
        var generation: Int
        /// The key of the last record that was looked at, in hexadecimal.
        var through: String
    }

    init(_ core: RepositoryCore<Model>, _ store: any KeyValueStore) {
        (self.core, self.store) = (core, store)
        progressKey = KeyLayout.progressKey(core.definition.name)
    }

    nonisolated(nonsending) mutating func run(_ progress: (MaintenanceReport) -> Void) async throws(StoreError)
        -> MaintenanceReport
    {
        let entry = try await currentEntry()
        if entry.oldestVersion < entry.version || entry.indexes.contains(where: { $0.state == .building }) {
            generation = entry.generation
            try await walkRecords(progress)
        }
        for index in entry.indexes where index.state == .dropping { try await removeEntries(of: index.number) }
        try await finish()
        report.unready = core.base.shape.indexes.filter { index in
            core.base.catalogued.entry.active(index)?.state != .ready
        }.map(\.name)
        return report
    }

    /// The catalogue's entry as it is now.
    private nonisolated(nonsending) func currentEntry() async throws(StoreError) -> CatalogueEntry {
        let stored = try await store.fetchEntry(core.base.catalogueKey)
        if stored?.sequence != core.base.catalogued.revision { try core.base.adopt(stored) }
        return core.base.catalogued.entry
    }

    private nonisolated(nonsending) mutating func walkRecords(_ progress: (MaintenanceReport) -> Void)
        async throws(StoreError)
    {
        var rest: KeyRange? = core.base.layout.records
        if let done = try await storedProgress() { rest = core.base.layout.records.after(done) }
        while let range = rest {
            if Task.isCancelled { throw .cancelled }
            let page = try await store.fetchEntries(in: range, reversed: false, limit: core.base.pageSize)
            let outdated = page.entries.filter { needsRewriting($0) }
            let last = page.entries.last?.key
            do throws(StoreError) {
                try await rewrite(outdated.map(\.key)[...], through: page.next == nil ? nil : last)
            } catch {
                guard error.isOfARecord else { throw error }
                for entry in outdated { try await rewriteAlone(entry.key) }
            }
            report.records += page.entries.count
            progress(report)
            rest = page.next
        }
    }

    /// Whether a record has an older version, or lacks its keys in an index. One that can't be read counts, too.
    private func needsRewriting(_ entry: Entry) -> Bool {
        guard let (envelope, _) = try? RecordEnvelope.decode(entry.value) else { return true }
        let numbers = Set(envelope.groups.map(\.index))
        return envelope.version != core.definition.version
            || core.base.catalogued.numbers.contains { $0.map { !numbers.contains($0) } ?? false }
    }

    /// Rewrites records in batches, and notes in the last one how far the run has come.
    private nonisolated(nonsending) mutating func rewrite(
        _ keys: ArraySlice<[UInt8]>, through last: [UInt8]?
    ) async throws(StoreError) {
        // Nothing is noted once something was found: the next run has to find it again.
        let note = last != nil && !isIncomplete
        if keys.isEmpty { return }
        var rewritten = 0
        try await core.base.inPieces(keys) { (piece) async throws(StoreError) in
            var count = 0
            try await store.ownTransaction(.written) { (transaction) async throws(StoreError) in
                count = try await self.rewrite(piece, transaction)
                if note, piece.endIndex == keys.endIndex, let last { try self.note(last, transaction) }
            }
            rewritten += count
        }
        report.rewritten += rewritten
    }

    private nonisolated(nonsending) func rewrite(
        _ keys: ArraySlice<[UInt8]>, _ transaction: Transaction, omitting omitted: Set<Int> = []
    ) async throws(StoreError) -> Int {
        var count = 0
        let entries = try await transaction.fetchEntries(of: Array(keys))
        for entry in entries {
            guard let entry, needsRewriting(entry) else { continue }
            try await core.write([try core.sound(entry)], .kept, .found([entry]), transaction, omitting: omitted)
            count += 1
        }
        return count
    }

    /// Rewrites one record of a batch in which there was a problem, without its keys in indexes where another record
    /// has them or they are too long.
    private nonisolated(nonsending) mutating func rewriteAlone(_ key: [UInt8]) async throws(StoreError) {
        var omitted: Set<Int> = []
        while true {
            do throws(StoreError) {
                var count = 0
                try await store.ownTransaction(.written) { [omitted] (transaction) async throws(StoreError) in
                    count = try await self.rewrite([key], transaction, omitting: omitted)
                }
                report.rewritten += count
                return
            } catch {
                guard error.isOfARecord else { throw error }
                list(error, of: key)
                let index = (error.cause as? UniqueViolation)?.index ?? (error.cause as? OversizedKey)?.index
                guard let position = core.base.shape.indexes.firstIndex(where: { $0.name == index }),
                    let number = core.base.catalogued.numbers[position], omitted.insert(number).inserted
                else {
                    hasLeftOut = true
                    return
                }
                violated.insert(number)
            }
        }
    }

    private mutating func list(_ error: StoreError, of key: [UInt8]) {
        switch error.code {
        case .uniqueViolation:
            guard let violation = error.cause as? UniqueViolation, report.violations.count < 1_000 else { return }
            report.violations.append(violation)
        case .tooLarge, .invalidArgument:
            if report.unwritable.count < 1_000 { report.unwritable.append(core.naming(key, in: error)) }
        default:
            if report.undecodable.count < 1_000 { report.undecodable.append(core.naming(key, in: error)) }
        }
    }

    private nonisolated(nonsending) func storedProgress() async throws(StoreError) -> [UInt8]? {
        guard let entry = try await store.fetchEntry(progressKey),
            let progress = try? JSONDecoder().decode(Progress.self, from: Data(entry.value)),
            progress.generation == generation
        else { return nil }
        let key = bytes(progress.through)
        return key.starts(with: core.base.layout.recordPrefix) ? key : nil
    }

    private func note(_ key: [UInt8], _ transaction: Transaction) throws(StoreError) {
        let progress = Progress(generation: generation, through: EncodedElement.hexadecimal(key))
        if let bytes = try? JSONEncoder().encode(progress) { try transaction.put(progressKey, [UInt8](bytes)) }
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) else { break }
            bytes.append(byte)
        }
        return bytes
    }

    private nonisolated(nonsending) mutating func removeEntries(of index: Int) async throws(StoreError) {
        var rest: KeyRange? = .prefix(core.base.layout.entriesPrefix(index))
        while let range = rest {
            if Task.isCancelled { throw .cancelled }
            let page = try await store.fetchEntries(in: range, reversed: false, limit: core.base.pageSize)
            var batch = WriteBatch()
            for entry in page.entries { batch.remove(entry.key) }
            if !page.entries.isEmpty { try await store.write(batch, durability: .written) }
            report.removedEntries += page.entries.count
            rest = page.next
        }
        removed.insert(index)
    }

    /// Marks what is complete, unless the catalogue has changed since the run began.
    private nonisolated(nonsending) mutating func finish() async throws(StoreError) {
        var changed: CatalogueEntry?
        let sequence = try await store.ownTransaction(.synced) { (transaction) async throws(StoreError) in
            changed = nil
            guard let stored = try await transaction.fetchEntry(core.base.catalogueKey) else { return }
            let before = try CatalogueEntry(bytes: stored.value)
            let entry = self.completed(before)
            if entry == before { return }
            if !isIncomplete { try transaction.remove(progressKey) }
            try transaction.put(core.base.catalogueKey, try entry.bytes)
            changed = entry
        }
        guard let changed else { return }
        try core.base.adopt(Entry(key: core.base.catalogueKey, value: try changed.bytes, sequence: sequence))
    }

    private func completed(_ before: CatalogueEntry) -> CatalogueEntry {
        var entry = before
        if generation == entry.generation, !hasLeftOut {
            entry.oldestVersion = entry.version
            for position in entry.indexes.indices
            where entry.indexes[position].state == .building && !violated.contains(entry.indexes[position].number) {
                entry.indexes[position].state = .ready
            }
        }
        entry.indexes.removeAll { $0.state == .dropping && removed.contains($0.number) }
        return entry
    }
}
