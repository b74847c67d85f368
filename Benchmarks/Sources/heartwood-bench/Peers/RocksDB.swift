internal import CRocksDB

/// RocksDB, as it comes, but without compression, which Heartwood doesn't use either.
///
/// `keepsLog` makes the write buffer so large that every record stays in the log. It verifies the checksum of each
/// block that it reads, as it comes.
///
/// - Note: `@unchecked`: RocksDB's own locks guard what the pointers lead to; the pointers themselves never change.
final class RocksDB: Peer, @unchecked Sendable {
    static let id = "rocksdb"
    static let title = "RocksDB"
    static let sharesSyncs = true
    static let hasLog = true
    static let isFilledInOrder = false
    /// The C library doesn't tell it.
    static let version = CommandOutput.firstLine("pkg-config", "--modversion", "rocksdb") ?? "of unknown version"

    private let database: OpaquePointer
    private let options: OpaquePointer
    private let writing: OpaquePointer
    private let reading: OpaquePointer

    init(opening path: String, _ settings: PeerSettings) throws {
        options = rocksdb_options_create()
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_compression(options, CInt(rocksdb_no_compression))
        if settings.keepsLog { rocksdb_options_set_write_buffer_size(options, 64 << 30) }
        writing = rocksdb_writeoptions_create()
        rocksdb_writeoptions_set_sync(writing, settings.isSynced ? 1 : 0)
        reading = rocksdb_readoptions_create()
        let opened = try checked(Self.title) { [options] in rocksdb_open(options, path, &$0) }
        guard let opened else { throw PeerFailure(Self.title, "could not be opened at \(path)") }
        database = opened
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try key.withCharacters { key, keyCount in
            try value.withCharacters { value, valueCount in
                try checked(Self.title) { rocksdb_put(database, writing, key, keyCount, value, valueCount, &$0) }
            }
        }
    }

    func putTogether(_ body: ((_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void) throws {
        let batch = rocksdb_writebatch_create()
        defer { rocksdb_writebatch_destroy(batch) }
        try body { key, value in
            key.withCharacters { key, keyCount in
                value.withCharacters { value, valueCount in
                    rocksdb_writebatch_put(batch, key, keyCount, value, valueCount)
                }
            }
        }
        try checked(Self.title) { rocksdb_write(database, writing, batch, &$0) }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        let value = try key.withCharacters { key, keyCount in
            try checked(Self.title) { rocksdb_get_pinned(database, reading, key, keyCount, &$0) }
        }
        guard let value else { return false }
        defer { rocksdb_pinnableslice_destroy(value) }
        var count = 0
        body(lent(rocksdb_pinnableslice_value(value, &count), count).bytes)
        return true
    }

    @inline(__always)
    func scan(keysOnly: Bool, _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        let iterator = rocksdb_create_iterator(database, reading)
        defer { rocksdb_iter_destroy(iterator) }
        rocksdb_iter_seek_to_first(iterator)
        while rocksdb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = lent(rocksdb_iter_key(iterator, &keyCount), keyCount)
            let value = keysOnly ? key : lent(rocksdb_iter_value(iterator, &valueCount), valueCount)
            guard body(key.bytes, value.bytes) else { return }
            rocksdb_iter_next(iterator)
        }
        try checked(Self.title) { rocksdb_iter_get_error(iterator, &$0) }
    }

    /// Merges all into one level, so that no compaction runs beside what is measured.
    func settle() throws { rocksdb_compact_range(database, nil, 0, nil, 0) }

    func close() throws {
        rocksdb_close(database)
        rocksdb_options_destroy(options)
        rocksdb_writeoptions_destroy(writing)
        rocksdb_readoptions_destroy(reading)
    }
}
