internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodRepository
internal import Logging

/// One opening of a local repository: opens its store, imports the JSON file if the store hasn't, and reads all
/// records. Blocks.
///
/// A crash in an import leaves the file, or the complete store. In this order: a marker that the import has begun; the
/// records, in batches; a check of all that was written, on the disk by then; the marker that the import is complete;
/// the renaming of the file. Until the second marker is durable, the file is unchanged and an opening imports it again.
struct LocalOpening {
    let place: LocalPlace
    let model: any LocalModel
    /// Why the model or the place can't be.
    let refusal: StoreError?
    let fileSystem: any FileSystem
    /// How large a batch of imported records is, in bytes.
    let importBatchBytes: Int

    func run(_ logger: Logger) throws(StoreError) -> (Store, LocalContents) {
        if let refusal { throw refusal }
        // A file that can't be imported must not leave a new store.
        let file = try place.hasStore(fileSystem) ? nil : JSONFile.read(place, model, fileSystem)
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.logger = logger
        let store = try Store(openingAt: place.store, configuration: configuration)
        do throws(StoreError) {
            return (store, try prepare(store, file, logger))
        } catch {
            try? store.blocking.close()
            throw error
        }
    }

    /// Brings the catalogue up to date, and imports the file if that isn't done.
    private func prepare(
        _ store: Store, _ read: JSONFile?, _ logger: Logger
    ) throws(StoreError) -> LocalContents {
        let stored = try store.entry(KeyLayout.catalogueKey(model.shape.name))
        let marker = try ImportMarker.read(in: store)
        if let stored, marker?.isComplete ?? true {
            var contents = try adopt(stored, marker, store)
            contents.doubt = doubt(after: marker)
            return contents
        }
        var file = read
        if file == nil { file = try JSONFile.read(place, model, fileSystem) }
        if let file {
            var contents = try `import`(file, over: stored, store)
            logger.info(
                "imported a JSON file",
                metadata: ["file": "\(place.json)", "items": "\(file.items.count)", "store": "\(place.store)"])
            contents.doubt = place.retireImported(fileSystem)
            return contents
        }
        if stored != nil {
            throw .importFailed(
                place.json,
                "its import was interrupted, and now the file is gone: put it back, or remove the directory "
                    + "\(place.store) to begin without it")
        }
        return LocalContents(
            layout: try begin(nil, ImportMarker(isComplete: true, of: nil), oldestVersion: model.version, store))
    }

    /// Takes over a repository that exists.
    private func adopt(
        _ stored: Entry, _ marker: ImportMarker?, _ store: Store
    ) throws(StoreError) -> LocalContents {
        let before = try CatalogueEntry(bytes: stored.value)
        let entry = try before.reconciled(with: model.shape)
        try model.migrations.check(entry)
        let contents = try load(entry.layout, migrates: before.version < entry.version, store)
        let bytes = try entry.bytes
        if bytes != stored.value || marker == nil {
            var batch = store.makeBatch()
            batch.put(stored.key, bytes)
            // A program with a 'Repository' made it: there is nothing to import any more.
            if marker == nil { try ImportMarker(isComplete: true, of: nil).put(into: &batch) }
            try store.blocking.write(batch, durability: .synced)
        }
        return contents
    }

    /// Reads all records, and decodes each once.
    ///
    /// - Throws: `.invalidArgument` for a type whose ids have other keys than the records, before anything is written.
    private func load(_ layout: KeyLayout, migrates: Bool, _ store: Store) throws(StoreError) -> LocalContents {
        var contents = LocalContents(layout: layout)
        let view = try store.readView()
        var rest: KeyRange? = layout.records
        while let range = rest {
            let page = try view.entries(in: range, reversed: false, limit: 1_024)
            for entry in page.entries {
                let id = layout.id(ofRecord: entry.key)
                let isFirst = contents.records.isEmpty && contents.undecodable.isEmpty
                if migrates || isFirst, model.isOfOtherType(id) {
                    throw .noID(id, of: model.idType, in: model.shape.name)
                }
                var found = id
                do throws(StoreError) {
                    let (version, payload) = try RecordEnvelope.head(entry.value.span.bytes)
                    let record = LocalRecord(
                        id: id, payload: Array(entry.value[payload...]), version: version, revision: entry.sequence)
                    found = try model.id(of: record.payload.span.bytes, version: version, key: id)
                    if found != id { throw .otherID(found, in: id, of: model.shape.name) }
                    contents.records.append(record)
                } catch {
                    contents.undecodable[id] = error
                }
                if migrates, found != id { throw .wouldMove(id, to: found, in: model.shape.name) }
            }
            rest = page.next
        }
        return contents
    }

    private func `import`(
        _ file: JSONFile, over stored: Entry?, _ store: Store
    ) throws(StoreError) -> LocalContents {
        let layout = try begin(
            stored, ImportMarker(isComplete: false, of: file.mark),
            oldestVersion: file.items.isEmpty ? model.version : JSONFile.version, store)
        let envelope = RecordEnvelope(version: JSONFile.version, groups: [])
        var batch = store.makeBatch()
        var bytes = 0
        for item in file.items {
            let record = envelope.encoded(with: file.payload(item))
            batch.put(layout.recordKey(item.id), record)
            bytes += record.count
            guard bytes >= importBatchBytes else { continue }
            try store.blocking.write(batch, durability: .written)
            (batch, bytes) = (store.makeBatch(), 0)
        }
        if !batch.isEmpty { try store.blocking.write(batch, durability: .written) }
        try store.blocking.sync()
        let contents = try load(layout, migrates: false, store)
        guard file.has(contents) else {
            throw .importFailed(
                place.json, "what was read back from the store isn't what the file has: look at the disk; open it again"
            )
        }
        batch = store.makeBatch()
        try ImportMarker(isComplete: true, of: file.mark).put(into: &batch)
        try store.blocking.write(batch, durability: .synced)
        return contents
    }

    /// Makes a repository without records, or one of it that an interrupted import has left.
    private func begin(
        _ stored: Entry?, _ marker: ImportMarker, oldestVersion: Int, _ store: Store
    ) throws(StoreError) -> KeyLayout {
        var batch = store.makeBatch()
        var entry: CatalogueEntry
        if let stored {
            entry = try CatalogueEntry(bytes: stored.value).reconciled(with: model.shape)
            while try store.blocking.remove(in: entry.layout.records, limit: 4_096, durability: .written).value > 0 {}
        } else {
            let made = try CatalogueEntry.make(model.shape, next: try store.entry(KeyLayout.nextNumber)?.value)
            batch.put(KeyLayout.nextNumber, made.next)
            entry = made.entry
        }
        entry.oldestVersion = oldestVersion
        try model.migrations.check(entry)
        batch.put(KeyLayout.catalogueKey(entry.name), try entry.bytes)
        try marker.put(into: &batch)
        try store.blocking.write(batch, durability: .synced)
        return entry.layout
    }

    /// Finishes the renaming of an imported file that is still there.
    ///
    /// - Returns: What is wrong, if that file isn't the one that was imported.
    private func doubt(after marker: ImportMarker?) -> StoreError? {
        do throws(StoreError) {
            guard let mark = try JSONFile.mark(of: place, fileSystem) else { return nil }
            if let imported = marker?.file, (imported.bytes, imported.checksum) == (mark.bytes, mark.checksum) {
                return place.retireImported(fileSystem)
            }
            return StoreError(
                .fileIgnored,
                "the file is beside a store that has its own items, and isn't the one that was imported: it was left "
                    + "as it is and its items aren't used; compare the two, then move it away",
                file: place.json)
        } catch {
            return StoreError(
                .fileIgnored,
                "the file beside the store can't be read: give this user access to it, or move it away",
                file: place.json, cause: error.cause ?? error)
        }
    }
}
