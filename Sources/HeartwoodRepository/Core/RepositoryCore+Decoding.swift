extension RepositoryCore {
    /// The model of a record. One that can't be used may have a stand-in.
    ///
    /// - Throws: As ``sound(_:key:)``.
    func model(_ bytes: RawSpan, key: [UInt8]) throws(StoreError) -> Model {
        do throws(StoreError) {
            return try sound(bytes, key: key)
        } catch {
            let id = base.layout.id(ofRecord: key)
            guard let standIn = definition.standIn?(id, bytes.withUnsafeBytes { [UInt8]($0) }, error) else {
                throw error
            }
            return standIn
        }
    }

    func model(_ entry: Entry) throws(StoreError) -> Model { try model(entry.value.span.bytes, key: entry.key) }

    /// Decodes a record, and migrates it in memory if it has an older version.
    ///
    /// - Throws: `.undecodable`, also if the model has another id than the record; `.newerModel`; `.corruption` if it
    ///   is no record.
    func sound(_ bytes: RawSpan, key: [UInt8]) throws(StoreError) -> Model {
        let model = try decoded(bytes, key: key)
        if let id = otherID(of: model, key) { throw .otherID(id, in: base.layout.id(ofRecord: key), of: base.name) }
        return model
    }

    func sound(_ entry: Entry) throws(StoreError) -> Model { try sound(entry.value.span.bytes, key: entry.key) }

    /// The same, whatever id the model has.
    func decoded(_ bytes: RawSpan, key: [UInt8]) throws(StoreError) -> Model {
        let (version, payload) = try RecordEnvelope.head(bytes)
        let value = bytes.extracting(payload...)
        do {
            if version == definition.version { return try definition.coder.decode(Model.self, from: value) }
            guard version < definition.version else {
                throw StoreError.newerRecord(
                    base.layout.id(ofRecord: key), of: definition.name, version, program: definition.version)
            }
            return try migrations.migrated(Model.self, value, from: version, of: definition.name, definition.coder)
        } catch let error as StoreError {
            throw error
        } catch {
            throw .undecodable(base.layout.id(ofRecord: key), of: definition.name, as: Model.self, error)
        }
    }

    /// An error that a record has caused, with the record's name in its message.
    func naming(_ key: [UInt8], in error: StoreError) -> StoreError {
        let id = TupleValue.one(in: base.layout.id(ofRecord: key)).description
        if error.message.contains(id), error.message.contains("\"\(base.name)\"") { return error }
        var error = error
        error.message = "the record \(id) of \"\(base.name)\": " + error.message
        return error
    }
}
