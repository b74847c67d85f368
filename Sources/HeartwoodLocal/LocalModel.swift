internal import HeartwoodRepository

/// The name that a local repository has in its store.
let localRepositoryName = "items"

/// What opening has to know of the type of the items. Not generic, and sendable although the type may not be:
/// everything below ``LocalRepository`` works with bytes.
protocol LocalModel: Sendable {
    var version: Int { get }
    var migrations: MigrationPath { get }
    var itemType: any Any.Type { get }
    var idType: any Any.Type { get }
    /// What the catalogue is compared with.
    var shape: RepositoryShape { get }

    /// Decodes an item, and returns its encoded id.
    func id(of payload: RawSpan, version: Int, key: [UInt8]) throws(StoreError) -> [UInt8]

    /// Whether an encoded id is one of another type than the items'.
    func isOfOtherType(_ id: [UInt8]) -> Bool
}

extension RecordCoding: LocalModel {
    var itemType: any Any.Type { Model.self }
    var idType: any Any.Type { Model.ID.self }

    var shape: RepositoryShape {
        shape(indexes: [], removesUnknown: true, refusesUnknown: false)
    }

    func id(of payload: RawSpan, version: Int, key: [UInt8]) throws(StoreError) -> [UInt8] {
        try self.key(decode(version, payload, id: key).id)
    }

    func isOfOtherType(_ id: [UInt8]) -> Bool { ids.isOfOtherType(id) }
}
