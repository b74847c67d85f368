#if PEER_LEVELDB
internal import CLevelDB

/// LevelDB through its C library, with the settings that its documentation (doc/index.md) advises.
struct LevelDBEngine: Engine {
    var runsOnThreads: Bool { true }
    var unimportantFiles: [String] { ["LOCK", "LOG", "LOG.old"] }

    var info: EngineInfo {
        EngineInfo(
            .leveldb, "LevelDB", version: "\(leveldb_major_version()).\(leveldb_minor_version())",
            settings: """
                As its doc/index.md advises: a block cache (a third of the memory, as RocksDB), Bloom filters of 10 \
                bits per key, and a write buffer of 64 MiB (as RocksDB's), because a larger one speeds up bulk \
                loads.
                sync = true where a write survives power loss, otherwise false. It can't keep writes back in the \
                process, so it isn't in the rows whose writes may be lost with the process.
                No compression, because Heartwood has none by default; Snappy in the row with compression.
                By default it doesn't verify checksums when it reads; paranoid_checks and verify_checksums in the \
                rows with all checks on. Its C library returns a copy of a value.
                """)
    }

    func open(at path: String, for use: EngineUse) async throws -> LevelDBDatabase { try LevelDBDatabase(path, use) }
}

/// An open LevelDB database.
///
/// - Note: `@unchecked`: LevelDB's own locks protect the database; the pointers never change.
final class LevelDBDatabase: Database, @unchecked Sendable {
    fileprivate let database: OpaquePointer
    fileprivate let writing: OpaquePointer
    fileprivate let reading: OpaquePointer
    private let options: OpaquePointer
    private let cache: OpaquePointer
    private let filter: OpaquePointer

    init(_ path: String, _ use: EngineUse) throws {
        options = leveldb_options_create()
        cache = leveldb_cache_create_lru(CacheAdvice.bytes)
        filter = leveldb_filterpolicy_create_bloom(10)
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_cache(options, cache)
        leveldb_options_set_filter_policy(options, filter)
        leveldb_options_set_compression(
            options, CInt(use.compresses ? leveldb_snappy_compression : leveldb_no_compression))
        leveldb_options_set_write_buffer_size(options, 64 << 20)
        writing = leveldb_writeoptions_create()
        leveldb_writeoptions_set_sync(writing, use.promise == .survivesPowerLoss ? 1 : 0)
        reading = leveldb_readoptions_create()
        if use.isParanoid {
            leveldb_options_set_paranoid_checks(options, 1)
            leveldb_readoptions_set_verify_checksums(reading, 1)
        }
        let opened = try checked("LevelDB") { [options] in leveldb_open(options, path, &$0) }
        guard let opened else { throw EngineFailure("LevelDB", "could not be opened at \(path)") }
        database = opened
    }

    func session() -> LevelDBSession { LevelDBSession(database: self) }
    func compactAll() async throws { leveldb_compact_range(database, nil, 0, nil, 0) }

    func close() async throws {
        leveldb_close(database)
        leveldb_options_destroy(options)
        leveldb_writeoptions_destroy(writing)
        leveldb_readoptions_destroy(reading)
        leveldb_cache_destroy(cache)
        leveldb_filterpolicy_destroy(filter)
    }
}

/// A thread's session.
struct LevelDBSession: Session {
    let database: LevelDBDatabase

    @inline(__always)
    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try key.withCharacters { key, keyCount in
            try value.withCharacters { value, valueCount in
                try checked("LevelDB") {
                    leveldb_put(database.database, database.writing, key, keyCount, value, valueCount, &$0)
                }
            }
        }
    }

    @inline(__always)
    func remove(_ key: [UInt8]) throws {
        try key.withCharacters { key, keyCount in
            try checked("LevelDB") { leveldb_delete(database.database, database.writing, key, keyCount, &$0) }
        }
    }

    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {
        let batch = leveldb_writebatch_create()
        defer { leveldb_writebatch_destroy(batch) }
        try fill { key, value in
            key.withCharacters { key, keyCount in
                value.withCharacters { value, valueCount in
                    leveldb_writebatch_put(batch, key, keyCount, value, valueCount)
                }
            }
        }
        try checked("LevelDB") { leveldb_write(database.database, database.writing, batch, &$0) }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        var count = 0
        // The C library has no call that lends a value: it copies.
        let value = try key.withCharacters { key, keyCount in
            try checked("LevelDB") { leveldb_get(database.database, database.reading, key, keyCount, &count, &$0) }
        }
        guard let value else { return false }
        body(lent(value, count).bytes)
        leveldb_free(value)
        return true
    }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws {
        try iterate(visit) { iterator in
            guard let key else { return leveldb_iter_seek_to_first(iterator) }
            key.withCharacters { leveldb_iter_seek(iterator, $0, $1) }
        } next: {
            leveldb_iter_next($0)
        }
    }

    @inline(__always)
    func scanBackwards(_ visit: PairVisitor) throws {
        try iterate(visit) {
            leveldb_iter_seek_to_last($0)
        } next: {
            leveldb_iter_prev($0)
        }
    }

    @inline(__always)
    private func iterate(
        _ visit: PairVisitor, start: (OpaquePointer?) -> Void,
        next: (OpaquePointer?) -> Void
    ) throws {
        let iterator = leveldb_create_iterator(database.database, database.reading)
        defer { leveldb_iter_destroy(iterator) }
        start(iterator)
        while leveldb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = lent(leveldb_iter_key(iterator, &keyCount), keyCount)
            let value = lent(leveldb_iter_value(iterator, &valueCount), valueCount)
            guard visit(key.bytes, value.bytes) else { return }
            next(iterator)
        }
        try checked("LevelDB") { leveldb_iter_get_error(iterator, &$0) }
    }
}
#endif
