#if PEER_SQLITE
internal import CSQLite
internal import Synchronization

/// SQLite as a key-value store through its C library: one table WITHOUT ROWID, a write-ahead log, prepared statements.
struct SQLiteEngine: Engine {
    static var version: String { String(cString: sqlite3_libversion()) }
    var runsOnThreads: Bool { true }
    var isFilledInOrder: Bool { true }
    var unimportantFiles: [String] { ["pairs.sqlite-shm"] }

    var info: EngineInfo {
        EngineInfo(
            .sqlite, "SQLite", version: Self.version,
            settings: """
                A table WITHOUT ROWID, journal_mode = WAL and prepared statements, as a key-value store.
                synchronous = FULL where a write survives power loss, else NORMAL. It can't keep writes back in the \
                process.
                One connection writes. Threads that write wait for it in a queue, which is faster than its busy \
                handler; each thread that reads has its own connection. More writers only wait, so it is measured \
                with up to 64.
                cache_size of 256 MiB and mmap_size of 16 GiB, as its documentation advises for databases of that \
                size.
                Compacted databases are filled in the order of the keys, in its favour. It has no checksums of pages \
                and no compression.
                """)
    }

    func open(at path: String, for use: EngineUse) async throws -> SQLiteDatabase { try SQLiteDatabase(path, use) }
}

/// An open database: the connection that writes, and what is needed to open others.
final class SQLiteDatabase: Database {
    private let path: String
    private let use: EngineUse
    /// The connection that writes, for one thread at a time.
    private let writer: Mutex<SQLiteConnection>

    init(_ path: String, _ use: EngineUse) throws {
        self.path = path
        self.use = use
        let connection = try SQLiteConnection(path, use)
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
        try connection.prepareWrites()
        writer = Mutex(connection)
    }

    func session() throws -> SQLiteSession { SQLiteSession(self, try SQLiteConnection(path, use)) }

    fileprivate func writing<R: Sendable>(_ body: (SQLiteConnection) throws -> R) throws -> R {
        try writer.withLock { try body($0) }
    }

    func compactAll() async throws { try writing { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") } }
    func close() async throws { try writing { try $0.close() } }
}

/// A thread's session.
final class SQLiteSession: Session {
    private let database: SQLiteDatabase
    private let reader: SQLiteConnection

    init(_ database: SQLiteDatabase, _ reader: SQLiteConnection) {
        self.database = database
        self.reader = reader
    }

    @inline(__always)
    func put(_ key: [UInt8], _ value: [UInt8]) throws { try database.writing { try $0.put(key, value) } }

    @inline(__always)
    func remove(_ key: [UInt8]) throws { try database.writing { try $0.remove(key) } }

    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {
        try database.writing { writer in
            try writer.execute("BEGIN IMMEDIATE")
            do {
                try fill { key, value in try writer.put(key, value) }
                try writer.execute("COMMIT")
            } catch {
                try? writer.execute("ROLLBACK")
                throw error
            }
        }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool { try reader.get(key, body) }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws {
        try reader.scan(key == nil ? \.scanning : \.seeking, from: key, visit)
    }

    @inline(__always)
    func scanBackwards(_ visit: PairVisitor) throws {
        try reader.scan(\.scanningBackwards, from: nil, visit)
    }

    func end() { try? reader.close() }
}
#endif
