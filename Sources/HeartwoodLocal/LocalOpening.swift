internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodRepository
internal import Logging

/// What an opening has found.
struct OpenedStore: Sendable {
    let store: Store
    let layout: KeyLayout
    /// The encoded ids of the records that decode, in ascending order.
    var ids: [[UInt8]] = []
    /// Their records.
    var records: [LocalRecord] = []
    /// The errors of the others.
    var undecodable: [[UInt8]: StoreError] = [:]
    /// What is wrong with the JSON file.
    var doubt: StoreError?
}

/// One opening of a local repository: opens its store, imports the JSON file if the store hasn't, and reads all
/// records. Blocks.
struct LocalOpening {
    let place: LocalPlace
    let model: any LocalModel
    let fileSystem: any FileSystem
    /// How large a batch of imported records is, in bytes.
    let importBatchBytes: Int

    func run(_ logger: Logger) throws(StoreError) -> OpenedStore {
        if let refusal = place.refusal { throw refusal }
        let migrations = try model.migrations()
        // A file that can't be imported must not leave a new store.
        let file = try hasStore() ? nil : JSONFile.read(place, model, fileSystem)
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.logger = logger
        let store = try Store(openingAt: place.store, configuration: configuration)
        do throws(StoreError) {
            var opened = try prepare(store, file, migrations, logger)
            try load(&opened)
            return opened
        } catch {
            try? store.blocking.close()
            throw error
        }
    }

    private func hasStore() throws(StoreError) -> Bool {
        do throws(FileSystemError) {
            return try fileSystem.kind(of: place.store) != nil
        } catch {
            throw StoreError(
                error.isPermission ? .permission : .inputOutput,
                "the store of a local repository can't be examined: give this user access to it, or look at the disk",
                file: place.store, cause: error)
        }
    }

    /// Brings the catalogue up to date, and imports the file if that isn't done.
    private func prepare(
        _ store: Store, _ read: JSONFile?, _ migrations: MigrationPath, _ logger: Logger
    ) throws(StoreError) -> OpenedStore {
        let stored = try store.entry(KeyLayout.catalogueKey(model.shape.name))
        let marker = try ImportMarker.read(in: store)
        if let stored, marker?.isComplete ?? true {
            let layout = try adopt(stored, marker, migrations, store)
            return OpenedStore(store: store, layout: layout, doubt: doubt(after: marker))
        }
        let importer = LocalImport(
            place: place, model: model, fileSystem: fileSystem, batchBytes: importBatchBytes, store: store)
        var file = read
        if file == nil { file = try JSONFile.read(place, model, fileSystem) }
        if let file {
            let layout = try importer.run(file, stored, migrations)
            logger.info(
                "imported a JSON file",
                metadata: ["file": "\(place.json)", "items": "\(file.items.count)", "store": "\(place.store)"])
            return OpenedStore(store: store, layout: layout, doubt: place.retireImported(fileSystem))
        }
        if stored != nil {
            throw .importFailed(
                place.json,
                "its import was interrupted, and now the file is gone: put it back, or remove the directory "
                    + "\(place.store) to begin without it")
        }
        return OpenedStore(store: store, layout: try importer.makeEmpty())
    }

    /// Takes over a repository that exists.
    private func adopt(
        _ stored: Entry, _ marker: ImportMarker?, _ migrations: MigrationPath, _ store: Store
    ) throws(StoreError) -> KeyLayout {
        let before = try CatalogueEntry(bytes: stored.value)
        let entry = try before.reconciled(with: model.shape)
        try migrations.check(entry)
        try checkIDs(entry.layout, migrates: before.version < entry.version, store)
        let bytes = try entry.bytes
        if bytes != stored.value || marker == nil {
            var batch = store.makeBatch()
            batch.put(stored.key, bytes)
            // A program with a 'Repository' made it: there is nothing to import any more.
            if marker == nil { try ImportMarker(isComplete: true, of: nil).put(into: &batch) }
            try store.blocking.write(batch, durability: .synced)
        }
        return entry.layout
    }

    /// Refuses a type whose ids have other keys than the records, before anything is written.
    private func checkIDs(_ layout: KeyLayout, migrates: Bool, _ store: Store) throws(StoreError) {
        let view = try store.readView()
        var rest: KeyRange? = layout.records
        while let range = rest {
            let page = try view.entries(in: range, limit: migrates ? 1_024 : 1)
            for entry in page.entries {
                let id = layout.id(ofRecord: entry.key)
                if model.isOfOtherType(id) { throw .noID(id, of: model.types.id, in: model.shape.name) }
                // What doesn't decode is a problem of its own.
                guard migrates, let other = try? self.id(of: entry), other != id else { continue }
                throw .wouldMove(id, to: other, in: model.shape.name)
            }
            rest = migrates ? page.next : nil
        }
    }

    /// The encoded id of the item in a record.
    private func id(of entry: Entry) throws(StoreError) -> [UInt8] {
        let (version, payload) = try RecordEnvelope.head(entry.value.span.bytes)
        return try model.id(of: entry.value.span.bytes.extracting(payload...), version: version, key: [])
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
            return .fileIgnored(
                place.json,
                "the file is beside a store that has its own items, and isn't the one that was imported: it was left "
                    + "as it is and its items aren't used; compare the two, then move it away")
        } catch {
            return .fileIgnored(
                place.json, "the file beside the store can't be read: give this user access to it, or move it away",
                error.cause ?? error)
        }
    }

    /// Reads all records, and decodes each once.
    private func load(_ opened: inout OpenedStore) throws(StoreError) {
        let layout = opened.layout
        let view = try opened.store.readView()
        var rest: KeyRange? = layout.records
        while let range = rest {
            let page = try view.entries(in: range, limit: 1_024)
            for entry in page.entries {
                let id = layout.id(ofRecord: entry.key)
                do throws(StoreError) {
                    opened.records.append(try record(entry, id))
                    opened.ids.append(id)
                } catch {
                    opened.undecodable[id] = error
                }
            }
            rest = page.next
        }
    }

    private func record(_ entry: Entry, _ id: [UInt8]) throws(StoreError) -> LocalRecord {
        let (version, payload) = try RecordEnvelope.head(entry.value.span.bytes)
        let record = LocalRecord(
            payload: Array(entry.value[payload...]), version: version, revision: entry.sequence)
        let found = try model.id(of: record.payload.span.bytes, version: version, key: id)
        if found != id { throw .otherID(found, in: id, of: model.shape.name) }
        return record
    }
}
