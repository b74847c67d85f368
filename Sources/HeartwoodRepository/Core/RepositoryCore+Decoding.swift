extension RepositoryCore {
    /// The model of a record. One that can't be used may have a stand-in.
    ///
    /// - Throws: As ``sound(_:)``; that a model has another id is seen only where ``RoundTrip`` says so, and in records
    ///   of older versions.
    func model(_ bytes: RawSpan, key: [UInt8]) throws(StoreError) -> Model {
        do throws(StoreError) {
            let (version, payload) = try RecordEnvelope.head(bytes)
            let model = try decoded(version, bytes.extracting(payload...), key)
            if roundTrip.isReadDue || version != definition.version { try checkID(model, key) }
            return model
        } catch {
            return try standIn(for: bytes, key, error)
        }
    }

    /// Apart from the call above: looking up the type of the optional would be a part of each reading.
    @inline(never)
    private func standIn(for bytes: RawSpan, _ key: [UInt8], _ error: StoreError) throws(StoreError) -> Model {
        guard let make = definition.standIn else { throw error }
        let bytes = bytes.withUnsafeBytes { [UInt8]($0) }
        guard let model = make(base.layout.id(ofRecord: key), bytes, error) else { throw error }
        return model
    }

    func model(_ entry: Entry) throws(StoreError) -> Model { try model(entry.value.span.bytes, key: entry.key) }

    /// Decodes a record, and migrates it in memory if it has an older version.
    ///
    /// - Throws: `.undecodable`, also if the model has another id than the record; `.newerModel`; `.corruption` if it
    ///   is no record.
    func sound(_ entry: Entry) throws(StoreError) -> Model {
        let model = try decoded(entry)
        try checkID(model, entry.key)
        return model
    }

    /// The same, whatever id the model has.
    func decoded(_ entry: Entry) throws(StoreError) -> Model {
        let (version, payload) = try RecordEnvelope.head(entry.value.span.bytes)
        return try decoded(version, entry.value.span.bytes.extracting(payload...), entry.key)
    }

    private func checkID(_ model: Model, _ key: [UInt8]) throws(StoreError) {
        guard let id = otherID(of: model, key) else { return }
        roundTrip.requireAlways()
        throw .otherID(id, in: base.layout.id(ofRecord: key), of: base.name)
    }

    private func decoded(_ version: Int, _ value: RawSpan, _ key: [UInt8]) throws(StoreError) -> Model {
        try coding.decode(version, value, id: base.layout.id(ofRecord: key))
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
