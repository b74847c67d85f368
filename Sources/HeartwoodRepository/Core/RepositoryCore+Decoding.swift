extension RepositoryCore {
    /// Decodes a record, and migrates it in memory if it has an older version. One that doesn't decode may have a
    /// stand-in.
    ///
    /// - Throws: As ``decoded(_:id:)``.
    func model(_ bytes: RawSpan, id: @autoclosure () -> [UInt8]) throws(StoreError) -> Model {
        do throws(StoreError) {
            return try decoded(bytes, id: id())
        } catch {
            guard let standIn = definition.standIn?(id(), bytes.withUnsafeBytes { [UInt8]($0) }, error) else {
                throw error
            }
            return standIn
        }
    }

    /// The same, without stand-ins.
    ///
    /// - Throws: `.undecodable`, `.newerModel`; `.corruption` if it is no record.
    func decoded(_ bytes: RawSpan, id: @autoclosure () -> [UInt8]) throws(StoreError) -> Model {
        let (version, payload) = try RecordEnvelope.head(bytes)
        let value = bytes.extracting(payload...)
        do {
            if version == definition.version { return try definition.coder.decode(Model.self, from: value) }
            guard version < definition.version else {
                throw StoreError.newerRecord(id(), of: definition.name, version, program: definition.version)
            }
            return try migrations.migrated(Model.self, value, from: version, of: definition.name, definition.coder)
        } catch let error as StoreError {
            throw error
        } catch {
            throw .undecodable(id(), of: definition.name, as: Model.self, error)
        }
    }

    func model(_ entry: Entry) throws(StoreError) -> Model {
        try model(entry.value.span.bytes, id: base.layout.id(ofRecord: entry.key))
    }

    func decoded(_ entry: Entry) throws(StoreError) -> Model {
        try decoded(entry.value.span.bytes, id: base.layout.id(ofRecord: entry.key))
    }
}
