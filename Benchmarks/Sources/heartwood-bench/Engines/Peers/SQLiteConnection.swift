#if PEER_SQLITE
internal import CSQLite

/// A connection of SQLite with its prepared statements.
///
/// - Note: `@unchecked`: used by one thread at a time.
final class SQLiteConnection: @unchecked Sendable {
    private let database: OpaquePointer
    private var putting: OpaquePointer?
    private var removing: OpaquePointer?
    private var getting: OpaquePointer?
    private(set) var scanning: OpaquePointer?
    private(set) var seeking: OpaquePointer?
    private(set) var scanningBackwards: OpaquePointer?

    init(_ path: String, _ use: EngineUse) throws {
        var database: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2("\(path)/pairs.sqlite", &database, flags, nil)
        guard let database, code == SQLITE_OK else { throw EngineFailure("SQLite", "could not be opened at \(path)") }
        self.database = database
        sqlite3_busy_timeout(database, 10_000)
        try execute("PRAGMA journal_mode=WAL")
        try execute("PRAGMA synchronous=\(use.promise == .survivesPowerLoss ? "FULL" : "NORMAL")")
        try execute("PRAGMA cache_size=-262144")
        try execute("PRAGMA mmap_size=17179869184")
    }

    /// For the connection that writes, after the table was created.
    func prepareWrites() throws {
        putting = try prepare("REPLACE INTO pairs (key, value) VALUES (?1, ?2)")
        removing = try prepare("DELETE FROM pairs WHERE key = ?1")
    }

    @inline(__always)
    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        defer { sqlite3_reset(putting) }
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                // Bound without a copy: the bytes stay valid until the statement is reset or bound again.
                try check(sqlite3_bind_blob(putting, 1, key.baseAddress, CInt(key.count), nil))
                try check(sqlite3_bind_blob(putting, 2, value.baseAddress, CInt(value.count), nil))
                try check(sqlite3_step(putting), SQLITE_DONE)
            }
        }
    }

    func remove(_ key: [UInt8]) throws {
        defer { sqlite3_reset(removing) }
        try key.withUnsafeBytes { key in
            try check(sqlite3_bind_blob(removing, 1, key.baseAddress, CInt(key.count), nil))
            try check(sqlite3_step(removing), SQLITE_DONE)
        }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        if getting == nil { getting = try prepare("SELECT value FROM pairs WHERE key = ?1") }
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
    func scan(
        _ kind: KeyPath<SQLiteConnection, OpaquePointer?>, from key: [UInt8]?,
        _ visit: PairVisitor
    ) throws {
        if scanning == nil { try prepareScans() }
        let statement = self[keyPath: kind]
        defer { sqlite3_reset(statement) }
        guard let key else { return try step(statement, visit) }
        try key.withUnsafeBytes { key in
            try check(sqlite3_bind_blob(statement, 1, key.baseAddress, CInt(key.count), nil))
            try step(statement, visit)
        }
    }

    @inline(__always)
    private func step(_ statement: OpaquePointer?, _ visit: PairVisitor) throws {
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            try check(code, SQLITE_ROW)
            guard visit(column(statement, 0).bytes, column(statement, 1).bytes) else { return }
        }
    }

    func execute(_ text: String) throws {
        try check(sqlite3_exec(database, text, nil, nil, nil))
    }

    func close() throws {
        for statement in [putting, removing, getting, scanning, seeking, scanningBackwards] {
            sqlite3_finalize(statement)
        }
        try check(sqlite3_close(database))
    }

    private func prepareScans() throws {
        scanning = try prepare("SELECT key, value FROM pairs ORDER BY key")
        seeking = try prepare("SELECT key, value FROM pairs WHERE key >= ?1 ORDER BY key")
        scanningBackwards = try prepare("SELECT key, value FROM pairs ORDER BY key DESC")
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

    @inline(__always)
    private func check(_ code: CInt, _ expected: CInt = SQLITE_OK) throws {
        guard code == expected else { throw EngineFailure("SQLite", String(cString: sqlite3_errmsg(database))) }
    }
}
#endif
