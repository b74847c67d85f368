internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodRepository

/// Brings the items of a JSON file into a store, so that a crash at any moment leaves the file, or the complete store.
///
/// In this order: a marker that an import has begun; the records, in batches; a check of all that was written, on the
/// disk by then; the marker that the import is complete; the renaming of the file. Until the second marker is durable,
/// the file is unchanged and an opening imports it again.
struct LocalImport {
    let place: LocalPlace
    let model: any LocalModel
    let fileSystem: any FileSystem
    /// How large a batch of records is, in bytes.
    let batchBytes: Int
    let store: Store

    /// Makes a repository without records, which imports nothing later.
    func makeEmpty() throws(StoreError) -> KeyLayout {
        return try begin(in: store, ImportMarker(isComplete: true, of: nil), oldestVersion: model.shape.version)
    }

    /// Imports a file.
    ///
    /// - Parameter stored: The catalogue's entry, if an earlier import was interrupted.
    func run(
        _ file: JSONFile, _ stored: Entry?, _ migrations: MigrationPath
    ) throws(StoreError) -> KeyLayout {
        let layout: KeyLayout
        let oldestVersion = file.items.isEmpty ? model.shape.version : JSONFile.version
        if let stored {
            var entry = try CatalogueEntry(bytes: stored.value).reconciled(with: model.shape)
            try migrations.check(entry)
            layout = entry.layout
            entry.oldestVersion = oldestVersion
            try clear(layout.records, store)
            var batch = store.makeBatch()
            batch.put(stored.key, try entry.bytes)
            try ImportMarker(isComplete: false, of: file.mark).put(into: &batch)
            try store.blocking.write(batch, durability: .written)
        } else {
            layout = try begin(
                in: store, ImportMarker(isComplete: false, of: file.mark), oldestVersion: oldestVersion)
        }
        try write(file, layout, store)
        try store.blocking.flush()
        try check(file, layout, store)
        var batch = store.makeBatch()
        try ImportMarker(isComplete: true, of: file.mark).put(into: &batch)
        try store.blocking.write(batch, durability: .synced)
        return layout
    }

    private func begin(
        in store: Store, _ marker: ImportMarker, oldestVersion: Int
    ) throws(StoreError) -> KeyLayout {
        var (entry, next) = try CatalogueEntry.make(
            model.shape, next: try store.entry(KeyLayout.nextNumber)?.value)
        entry.oldestVersion = oldestVersion
        var batch = store.makeBatch()
        batch.put(KeyLayout.nextNumber, next)
        batch.put(KeyLayout.catalogueKey(entry.name), try entry.bytes)
        try marker.put(into: &batch)
        try store.blocking.write(batch, durability: .synced)
        return entry.layout
    }

    private func clear(_ records: KeyRange, _ store: Store) throws(StoreError) {
        while try store.blocking.remove(in: records, limit: 4_096, durability: .written).value > 0 {}
    }

    private func write(_ file: JSONFile, _ layout: KeyLayout, _ store: Store) throws(StoreError) {
        let envelope = RecordEnvelope(version: JSONFile.version, groups: [])
        var batch = store.makeBatch()
        var bytes = 0
        for item in file.items {
            let record = envelope.encoded(with: file.item(item.range))
            batch.put(layout.recordKey(item.id), record)
            bytes += record.count
            guard bytes >= batchBytes else { continue }
            try store.blocking.write(batch, durability: .written)
            (batch, bytes) = (store.makeBatch(), 0)
        }
        if !batch.isEmpty { try store.blocking.write(batch, durability: .written) }
    }

    /// Reads everything back, and compares it with the file.
    private func check(_ file: JSONFile, _ layout: KeyLayout, _ store: Store) throws(StoreError) {
        let envelope = RecordEnvelope(version: JSONFile.version, groups: [])
        var missing = Dictionary(uniqueKeysWithValues: file.items.map { ($0.id, $0.range) })
        let view = try store.readView()
        var rest: KeyRange? = layout.records
        while let range = rest {
            let page = try view.entries(in: range, limit: 1_024)
            for entry in page.entries {
                guard let range = missing.removeValue(forKey: layout.id(ofRecord: entry.key)),
                    entry.value == envelope.encoded(with: file.item(range))
                else { throw different }
            }
            rest = page.next
        }
        if !missing.isEmpty { throw different }
    }

    private var different: StoreError {
        .importFailed(
            place.json, "what was read back from the store isn't what the file has: look at the disk; open it again")
    }
}

extension LocalPlace {
    /// Renames the imported file, never to a name that exists.
    ///
    /// - Returns: What is wrong if that fails. The next opening tries again.
    func retireImported(_ fileSystem: any FileSystem) -> StoreError? {
        do throws(FileSystemError) {
            var number = 1
            while try fileSystem.kind(of: imported(number)) != nil { number += 1 }
            try fileSystem.rename(json, to: imported(number))
        } catch {
            return .fileIgnored(
                json,
                "the file was imported, and can't be renamed: give this user write access to its directory; the "
                    + "next opening renames it",
                error)
        }
        // If a crash takes the renaming back, the next opening renames it again.
        try? fileSystem.syncDirectory(directory)
        return nil
    }
}
