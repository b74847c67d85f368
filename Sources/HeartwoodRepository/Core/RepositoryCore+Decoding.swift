extension RepositoryCore {
    /// Decodes a record, and migrates it in memory if it has an older version.
    ///
    /// - Throws: `.undecodable`, `.newerModel`; `.corruption` if it is no record.
    func model(_ bytes: RawSpan, id: @autoclosure () -> [UInt8]) throws(StoreError) -> Model {
        let (version, payload) = try RecordEnvelope.head(bytes)
        let value = bytes.extracting(payload...)
        do {
            if version == definition.version { return try definition.coder.decode(Model.self, from: value) }
            guard version < definition.version else {
                throw StoreError(
                    .newerModel,
                    "the record \(TupleValue.one(in: id())) of \"\(definition.name)\" has version \(version) of its "
                        + "model, and this program has version \(definition.version): use the newer program")
            }
            return try migrated(value, from: version)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(
                .undecodable,
                "the record \(TupleValue.one(in: id())) of \"\(definition.name)\" doesn't decode as \(Model.self): "
                    + "restore the type or add a migration, or delete the record by its id",
                cause: error)
        }
    }

    func model(_ entry: Entry) throws(StoreError) -> Model {
        try model(entry.value.span.bytes, id: base.layout.id(ofRecord: entry.key))
    }

    private func migrated(_ value: RawSpan, from version: Int) throws -> Model {
        guard let steps = migrations.steps(from: version), !steps.isEmpty else {
            throw StoreError(
                .undecodable,
                "a record of \"\(definition.name)\" has version \(version) of its model, from which no migration leads "
                    + "to version \(definition.version): add it")
        }
        var bytes = try steps[0].apply(value, definition.coder)
        for step in steps.dropFirst() { bytes = try step.apply(bytes.span.bytes, definition.coder) }
        return try definition.coder.decode(Model.self, from: bytes.span.bytes)
    }
}
