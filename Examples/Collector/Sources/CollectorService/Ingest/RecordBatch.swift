import Heartwood

/// Records that are written all or nothing, on files or on a cluster.
///
/// A store on files encodes each record when it is added, so no array is made of its value. A cluster gets arrays.
struct RecordBatch: Sendable {
    private let store: any KeyValueStore
    /// Nil on a cluster.
    private var encoded: WriteBatch?
    private var plain = KeyValueBatch()

    init(for store: any KeyValueStore) {
        self.store = store
        encoded = (store as? Store)?.makeBatch()
    }

    /// Reserves memory for `bytes` bytes of records.
    mutating func reserveCapacity(_ bytes: Int) { encoded?.reserveCapacity(bytes) }

    /// Adds a record. Its key must not be in the batch yet.
    @inline(__always)
    mutating func put(_ key: [UInt8], _ value: some ByteSource, expires: Expiry = .never) {
        if encoded == nil {
            plain.put(key, value.byteArray, expires: expires)
        } else {
            encoded?.put(key, value, expires: expires)
        }
    }

    /// Adds a record that must not exist yet.
    mutating func putAbsent(_ key: [UInt8], _ value: [UInt8], expires: Expiry) {
        if encoded == nil {
            plain.put(key, value, expires: expires)
            plain.conditions.append(.absent(key))
        } else {
            encoded?.put(key, value, expires: expires, if: .absent)
        }
    }

    /// Writes the records, if a key is absent. They are on the disk when this returns, or on those of a majority of the
    /// cluster.
    ///
    /// - Throws: `.conflict` if a key exists that must be absent: nothing was written.
    func write(ifAbsent key: [UInt8]?) async throws(StoreError) {
        if let encoded, let files = store as? Store {
            try await files.write(encoded, if: key.map { [.absent($0)] } ?? [], durability: .synced)
            return
        }
        var batch = plain
        if let key { batch.conditions.append(.absent(key)) }
        try await store.commit(batch, durability: .synced)
    }
}
