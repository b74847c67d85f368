internal import CSQLite

/// SQLite as a key-value store: one table WITHOUT ROWID, a write-ahead log, prepared statements.
///
/// Each put is a transaction of its own. With `isSynced` a commit waits for the disk (`synchronous=FULL`), otherwise
/// only a checkpoint does (`synchronous=NORMAL`), which is what services use. Everything else is as it comes.
///
/// - Note: `@unchecked`: used by one thread at a time.
final class SQLite: Peer, @unchecked Sendable {
    static let id = "sqlite"
    static let title = "SQLite"
    static var version: String { String(cString: sqlite3_libversion()) }
    /// One writer at a time, each with a sync of its own.
    static let sharesSyncs = false
    static let hasLog = false
    static let isFilledInOrder = true

    private let database: OpaquePointer
    private var putting: OpaquePointer?
    private var getting: OpaquePointer?
    private var scanning: OpaquePointer?
    private var scanningKeys: OpaquePointer?

    init(opening path: String, _ settings: PeerSettings) throws {
        var database: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2("\(path)/pairs.sqlite", &database, flags, nil)
        guard let database, code == SQLITE_OK else { throw PeerFailure(Self.title, "could not be opened at \(path)") }
        self.database = database
        try execute("PRAGMA journal_mode=WAL")
        try execute("PRAGMA synchronous=\(settings.isSynced ? "FULL" : "NORMAL")")
        try execute("CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
        putting = try prepare("REPLACE INTO pairs (key, value) VALUES (?1, ?2)")
        getting = try prepare("SELECT value FROM pairs WHERE key = ?1")
        scanning = try prepare("SELECT key, value FROM pairs ORDER BY key")
        scanningKeys = try prepare("SELECT key FROM pairs ORDER BY key")
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        defer { sqlite3_reset(putting) }
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                // Bound without a copy: the bytes stay where they are until the statement is reset or bound again.
                try check(sqlite3_bind_blob(putting, 1, key.baseAddress, CInt(key.count), nil))
                try check(sqlite3_bind_blob(putting, 2, value.baseAddress, CInt(value.count), nil))
                try check(sqlite3_step(putting), SQLITE_DONE)
            }
        }
    }

    func putTogether(_ body: ((_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        do {
            try body { key, value in try put(key, value) }
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        defer { sqlite3_reset(getting) }
        return try key.withUnsafeBytes { key in
            try check(sqlite3_bind_blob(getting, 1, key.baseAddress, CInt(key.count), nil))
            let code = sqlite3_step(getting)
            if code == SQLITE_DONE { return false }
            try check(code, SQLITE_ROW)
            body(column(getting, 0).bytes)
            return true
        }
    }

    @inline(__always)
    func scan(keysOnly: Bool, _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        let statement = keysOnly ? scanningKeys : scanning
        defer { sqlite3_reset(statement) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            try check(code, SQLITE_ROW)
            guard body(column(statement, 0).bytes, column(statement, keysOnly ? 0 : 1).bytes) else { return }
        }
    }

    func settle() throws { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    func close() throws {
        for statement in [putting, getting, scanning, scanningKeys] { sqlite3_finalize(statement) }
        try check(sqlite3_close(database))
    }

    @inline(__always)
    private func column(_ statement: OpaquePointer?, _ number: CInt) -> UnsafeRawBufferPointer {
        lent(sqlite3_column_blob(statement, number), Int(sqlite3_column_bytes(statement, number)))
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, text, -1, &statement, nil))
        return statement
    }

    private func execute(_ text: String) throws {
        try check(sqlite3_exec(database, text, nil, nil, nil))
    }

    @inline(__always)
    private func check(_ code: CInt, _ expected: CInt = SQLITE_OK) throws {
        guard code == expected else { throw PeerFailure(Self.title, String(cString: sqlite3_errmsg(database))) }
    }
}
