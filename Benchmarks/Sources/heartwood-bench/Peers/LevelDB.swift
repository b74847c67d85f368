internal import CLevelDB

/// LevelDB, as it comes, but without compression, which Heartwood doesn't use either.
///
/// `keepsLog` makes the write buffer as large as LevelDB lets it be, 1 GiB, so that records stay in the log. It
/// verifies checksums of values only where that is asked for; it isn't.
///
/// - Note: `@unchecked`: LevelDB's own locks guard what the pointers lead to; the pointers themselves never change.
final class LevelDB: Peer, @unchecked Sendable {
    static let id = "leveldb"
    static let title = "LevelDB"
    static var version: String { "\(leveldb_major_version()).\(leveldb_minor_version())" }
    static let sharesSyncs = true
    static let hasLog = true
    static let isFilledInOrder = false

    private let database: OpaquePointer
    private let options: OpaquePointer
    private let writing: OpaquePointer
    private let reading: OpaquePointer

    init(opening path: String, _ settings: PeerSettings) throws {
        options = leveldb_options_create()
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_compression(options, CInt(leveldb_no_compression))
        if settings.keepsLog { leveldb_options_set_write_buffer_size(options, 1 << 30) }
        writing = leveldb_writeoptions_create()
        leveldb_writeoptions_set_sync(writing, settings.isSynced ? 1 : 0)
        reading = leveldb_readoptions_create()
        let opened = try checked(Self.title) { [options] in leveldb_open(options, path, &$0) }
        guard let opened else { throw PeerFailure(Self.title, "could not be opened at \(path)") }
        database = opened
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try key.withCharacters { key, keyCount in
            try value.withCharacters { value, valueCount in
                try checked(Self.title) { leveldb_put(database, writing, key, keyCount, value, valueCount, &$0) }
            }
        }
    }

    func putTogether(_ body: ((_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void) throws {
        let batch = leveldb_writebatch_create()
        defer { leveldb_writebatch_destroy(batch) }
        try body { key, value in
            key.withCharacters { key, keyCount in
                value.withCharacters { value, valueCount in
                    leveldb_writebatch_put(batch, key, keyCount, value, valueCount)
                }
            }
        }
        try checked(Self.title) { leveldb_write(database, writing, batch, &$0) }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        var count = 0
        // The C library has no form that lends: it copies the value.
        let value = try key.withCharacters { key, keyCount in
            try checked(Self.title) { leveldb_get(database, reading, key, keyCount, &count, &$0) }
        }
        guard let value else { return false }
        body(lent(value, count).bytes)
        leveldb_free(value)
        return true
    }

    @inline(__always)
    func scan(keysOnly: Bool, _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        let iterator = leveldb_create_iterator(database, reading)
        defer { leveldb_iter_destroy(iterator) }
        leveldb_iter_seek_to_first(iterator)
        while leveldb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = lent(leveldb_iter_key(iterator, &keyCount), keyCount)
            let value = keysOnly ? key : lent(leveldb_iter_value(iterator, &valueCount), valueCount)
            guard body(key.bytes, value.bytes) else { return }
            leveldb_iter_next(iterator)
        }
        try checked(Self.title) { leveldb_iter_get_error(iterator, &$0) }
    }

    /// Merges all into one level, so that no compaction runs beside what is measured.
    func settle() throws { leveldb_compact_range(database, nil, 0, nil, 0) }

    func close() throws {
        leveldb_close(database)
        leveldb_options_destroy(options)
        leveldb_writeoptions_destroy(writing)
        leveldb_readoptions_destroy(reading)
    }
}
