#if PEER_ROCKSDB
internal import CRocksDB
internal import Foundation

/// RocksDB through its C library, with the settings that the page "Setup Options and Basic Tuning" of its wiki advises.
struct RocksDBEngine: Engine {
    var runsOnThreads: Bool { true }
    var unimportantFiles: [String] { ["LOCK", "LOG", "LOG.old", "IDENTITY"] }
    /// The C library doesn't report its version.
    private static let installedVersion =
        CommandOutput.firstLine("pkg-config", "--modversion", "rocksdb") ?? "of unknown version"

    var info: EngineInfo {
        EngineInfo(
            .rocksdb, "RocksDB", version: Self.installedVersion,
            settings: """
                As its wiki's "Setup Options and Basic Tuning" advises: as many background jobs as cores, a block \
                cache of a third of the memory with index and filter blocks in it (level 0's pinned), blocks of 16 \
                KiB, Bloom filters of 10 bits per key, level_compaction_dynamic_level_bytes, bytes_per_sync of 1 \
                MiB.
                sync = true where a write survives power loss, otherwise false.
                manual_wal_flush, with a flush of the log every 10 ms, where writes may be lost with the process: as \
                Heartwood's .buffered.
                No compression, because Heartwood has none by default; LZ4, and Zstandard in the last level, in the \
                row with compression.
                Checksums of blocks are verified by default; wal_recovery_mode = kAbsoluteConsistency in the rows \
                with all checks on.
                """)
    }

    func open(at path: String, for use: EngineUse) async throws -> RocksDBDatabase { try RocksDBDatabase(path, use) }
}

/// An open RocksDB database.
///
/// - Note: `@unchecked`: RocksDB's own locks protect the database; the pointers never change.
final class RocksDBDatabase: Database, @unchecked Sendable {
    fileprivate let database: OpaquePointer
    fileprivate let writing: OpaquePointer
    fileprivate let reading: OpaquePointer
    private let options: OpaquePointer
    private let cache: OpaquePointer
    /// Flushes the log regularly, if writes don't.
    private var flusher: Repeater?

    init(_ path: String, _ use: EngineUse) throws {
        options = rocksdb_options_create()
        cache = rocksdb_cache_create_lru(CacheAdvice.bytes)
        Self.tune(options, cache)
        Self.set(options, use)
        writing = rocksdb_writeoptions_create()
        rocksdb_writeoptions_set_sync(writing, use.promise == .survivesPowerLoss ? 1 : 0)
        reading = rocksdb_readoptions_create()
        let opened = try checked("RocksDB") { [options] in rocksdb_open(options, path, &$0) }
        guard let opened else { throw EngineFailure("RocksDB", "could not be opened at \(path)") }
        database = opened
        if use.promise == .mayLoseLastMoments {
            flusher = Repeater(milliseconds: 10) { [self] in
                _ = try? checked("RocksDB") { rocksdb_flush_wal(database, 0, &$0) }
            }
        }
    }

    private static func tune(_ options: OpaquePointer, _ cache: OpaquePointer) {
        rocksdb_options_set_create_if_missing(options, 1)
        let cores = CInt(ProcessInfo.processInfo.activeProcessorCount)
        rocksdb_options_increase_parallelism(options, cores)
        rocksdb_options_set_max_background_jobs(options, max(2, cores))
        rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1)
        rocksdb_options_set_bytes_per_sync(options, 1 << 20)
        let tables = rocksdb_block_based_options_create()
        rocksdb_block_based_options_set_block_cache(tables, cache)
        rocksdb_block_based_options_set_block_size(tables, 16 << 10)
        rocksdb_block_based_options_set_cache_index_and_filter_blocks(tables, 1)
        rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(tables, 1)
        rocksdb_block_based_options_set_format_version(tables, 5)
        rocksdb_block_based_options_set_filter_policy(tables, rocksdb_filterpolicy_create_bloom_full(10))
        rocksdb_options_set_block_based_table_factory(options, tables)
        rocksdb_block_based_options_destroy(tables)
    }

    private static func set(_ options: OpaquePointer, _ use: EngineUse) {
        if use.compresses {
            rocksdb_options_set_compression(options, CInt(rocksdb_lz4_compression))
            rocksdb_options_set_bottommost_compression(options, CInt(rocksdb_zstd_compression))
        } else {
            rocksdb_options_set_compression(options, CInt(rocksdb_no_compression))
        }
        if use.promise == .mayLoseLastMoments { rocksdb_options_set_manual_wal_flush(options, 1) }
        if use.isParanoid {
            rocksdb_options_set_wal_recovery_mode(options, CInt(rocksdb_absolute_consistency_recovery))
        }
    }

    func session() -> RocksDBSession { RocksDBSession(database: self) }
    func compactAll() async throws { rocksdb_compact_range(database, nil, 0, nil, 0) }

    func settle() async throws {
        for property in [
            "rocksdb.num-running-flushes", "rocksdb.num-running-compactions", "rocksdb.compaction-pending",
        ] {
            var count: UInt64 = 0
            while rocksdb_property_int(database, property, &count) == 0, count > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    func close() async throws {
        flusher?.stop()
        try checked("RocksDB") { rocksdb_flush_wal(database, 0, &$0) }
        rocksdb_close(database)
        rocksdb_options_destroy(options)
        rocksdb_writeoptions_destroy(writing)
        rocksdb_readoptions_destroy(reading)
        rocksdb_cache_destroy(cache)
    }
}

/// A thread's session.
struct RocksDBSession: Session {
    let database: RocksDBDatabase

    @inline(__always)
    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try key.withCharacters { key, keyCount in
            try value.withCharacters { value, valueCount in
                try checked("RocksDB") {
                    rocksdb_put(database.database, database.writing, key, keyCount, value, valueCount, &$0)
                }
            }
        }
    }

    @inline(__always)
    func remove(_ key: [UInt8]) throws {
        try key.withCharacters { key, keyCount in
            try checked("RocksDB") { rocksdb_delete(database.database, database.writing, key, keyCount, &$0) }
        }
    }

    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {
        let batch = rocksdb_writebatch_create()
        defer { rocksdb_writebatch_destroy(batch) }
        try fill { key, value in
            key.withCharacters { key, keyCount in
                value.withCharacters { value, valueCount in
                    rocksdb_writebatch_put(batch, key, keyCount, value, valueCount)
                }
            }
        }
        try checked("RocksDB") { rocksdb_write(database.database, database.writing, batch, &$0) }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        let value = try key.withCharacters { key, keyCount in
            try checked("RocksDB") { rocksdb_get_pinned(database.database, database.reading, key, keyCount, &$0) }
        }
        guard let value else { return false }
        defer { rocksdb_pinnableslice_destroy(value) }
        var count = 0
        body(lent(rocksdb_pinnableslice_value(value, &count), count).bytes)
        return true
    }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws {
        try iterate(visit) { iterator in
            guard let key else { return rocksdb_iter_seek_to_first(iterator) }
            key.withCharacters { rocksdb_iter_seek(iterator, $0, $1) }
        } next: {
            rocksdb_iter_next($0)
        }
    }

    @inline(__always)
    func scanBackwards(_ visit: PairVisitor) throws {
        try iterate(visit) {
            rocksdb_iter_seek_to_last($0)
        } next: {
            rocksdb_iter_prev($0)
        }
    }

    @inline(__always)
    private func iterate(
        _ visit: PairVisitor, start: (OpaquePointer?) -> Void,
        next: (OpaquePointer?) -> Void
    ) throws {
        let iterator = rocksdb_create_iterator(database.database, database.reading)
        defer { rocksdb_iter_destroy(iterator) }
        start(iterator)
        while rocksdb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = lent(rocksdb_iter_key(iterator, &keyCount), keyCount)
            let value = lent(rocksdb_iter_value(iterator, &valueCount), valueCount)
            guard visit(key.bytes, value.bytes) else { return }
            next(iterator)
        }
        try checked("RocksDB") { rocksdb_iter_get_error(iterator, &$0) }
    }
}
#endif
