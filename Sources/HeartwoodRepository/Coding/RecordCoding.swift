/// How the models of a repository become ids and payloads, and back. It knows neither a store nor keys.
///
/// A class: code that isn't specialised would look up the metadata of a generic structure in each call (700
/// instructions).
package final class RecordCoding<Model: Codable & Identifiable>: Sendable where Model.ID: Codable {
    /// The repository, for messages.
    package let name: String
    package let coder: any ModelCoder
    package let migrations: MigrationPath
    package let ids: any IDCoding<Model.ID> & Sendable

    package init(_ name: String, _ coder: any ModelCoder, _ migrations: MigrationPath) {
        (self.name, self.coder, self.migrations) = (name, coder, migrations)
        ids = idCoding(of: Model.ID.self)
    }

    /// The version of the model.
    package var version: Int { migrations.version }

    /// What the catalogue is compared with.
    package func shape(
        indexes: [StoredIndex], removesUnknown: Bool, refusesUnknown: Bool
    ) -> RepositoryShape {
        RepositoryShape(
            name: name, version: version, coder: coder.name, hasOrderedIDs: ids.isOrdered, indexes: indexes,
            removesUnknown: removesUnknown, refusesUnknown: refusesUnknown)
    }

    /// An encoded id after a prefix.
    ///
    /// - Throws: `.invalidArgument` for an id that no key can have.
    @inline(__always)
    package func key(_ id: Model.ID, after prefix: [UInt8] = []) throws(StoreError) -> [UInt8] {
        let key = try ids.key(id, after: prefix)
        if key.count > 256, TupleDecoder.isTooDeep(Array(key.dropFirst(prefix.count))) {
            throw .tooDeep("an id", in: name)
        }
        return key
    }

    /// Encodes a model.
    ///
    /// - Parameter id: Its encoded id, for messages.
    /// - Throws: `.invalidArgument`.
    @inline(__always)
    package func encode(_ model: Model, id: @autoclosure () -> [UInt8]) throws(StoreError) -> [UInt8] {
        do {
            return try coder.encode(model)
        } catch {
            throw StoreError(
                .invalidArgument,
                "the record \(TupleValue.one(in: id())) of \"\(name)\" can't be encoded: see the cause", cause: error)
        }
    }

    /// Decodes what was encoded, as a read does.
    ///
    /// - Throws: `.invalidArgument` if it doesn't decode, or has another id.
    package func storedForm(of payload: [UInt8], id: [UInt8]) throws(StoreError) -> Model {
        let stored: Model
        do {
            stored = try coder.decode(Model.self, from: payload.span.bytes)
        } catch {
            throw StoreError(
                .invalidArgument,
                "the record \(TupleValue.one(in: id)) of \"\(name)\" can't be decoded again from what was encoded: "
                    + "correct the type or its coder; nothing was written",
                cause: error)
        }
        if let other = otherID(of: stored, than: id) { throw .wouldLoseID(id, storedAs: other, in: name) }
        return stored
    }

    /// Decodes a payload, and migrates it in memory if it has an older version.
    ///
    /// - Parameter id: The encoded id of the record, for messages.
    /// - Throws: `.undecodable`, `.newerModel`.
    @inline(__always)
    package func decode(
        _ version: Int, _ payload: RawSpan, id: @autoclosure () -> [UInt8]
    ) throws(StoreError) -> Model {
        do {
            if version == self.version { return try coder.decode(Model.self, from: payload) }
            guard version < self.version else {
                throw StoreError.newerRecord(id(), of: name, version, program: self.version)
            }
            return try migrations.migrated(Model.self, payload, from: version, of: name, coder)
        } catch let error as StoreError {
            throw error
        } catch {
            throw .undecodable(id(), of: name, as: Model.self, error)
        }
    }

    /// The encoded id of a model if it isn't this one; nil if it is. Empty if it can't be encoded.
    package func otherID(of model: Model, than id: [UInt8]) -> [UInt8]? {
        let found = (try? key(model.id)) ?? []
        return found == id ? nil : found
    }
}
