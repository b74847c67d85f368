#if PEER_SQLITE
internal import Foundation
internal import GRDB

/// SQLite as Swift programs use it: a `DatabasePool` of GRDB, with cached statements, as its documentation advises.
struct GRDBEngine: Engine {
    var runsOnThreads: Bool { true }
    var isFilledInOrder: Bool { true }
    var unimportantFiles: [String] { ["pairs.sqlite-shm"] }

    var info: EngineInfo {
        EngineInfo(
            .grdb, "GRDB", family: "sqlite", version: "7.10, SQLite \(SQLiteEngine.version)",
            settings: """
                DatabasePool, which sets journal_mode = WAL, and cached statements: as its documentation advises.
                The same table as SQLite's; synchronous = FULL where a write survives power loss, else NORMAL, its \
                default. It can't keep writes back in the process. It has one writer at a time, so it is measured \
                with up to 64 writers.
                One transaction (write) per put and one reading block (read) per get, as in the examples of its \
                documentation; the figures include the cost of its pool.
                busyMode = .timeout, because a reader that opens may hold the writers' lock for a short time.
                Typed rows: Codable records in columns, save(), and cached statements for reads. A single worker has \
                a thread of its own, which is faster; 64 workers are tasks that await the asynchronous write.
                """)
    }

    func open(at path: String, for use: EngineUse) async throws -> GRDBDatabase {
        let pool = try await Self.pool(at: "\(path)/pairs.sqlite", use.promise)
        try await pool.writeWithoutTransaction { database in
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
        }
        return GRDBDatabase(pool: pool)
    }

    /// A pool with the settings of all rows.
    static func pool(at path: String, _ promise: Promise) async throws -> DatabasePool {
        // The first connection that reads holds the writers' lock for a short time, while it reads an existing log.
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(10)
        let pool = try DatabasePool(path: path, configuration: configuration)
        // After the opening, which sets it to NORMAL.
        let synchronous = promise == .survivesPowerLoss ? "FULL" : "NORMAL"
        try await pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = \(synchronous)")
        }
        return pool
    }
}

/// An open pool.
struct GRDBDatabase: Database {
    let pool: DatabasePool

    func session() -> GRDBSession { GRDBSession(pool: pool) }

    func compactAll() async throws {
        try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    func close() async throws { try pool.close() }
}

/// A thread's use of it.
struct GRDBSession: Session {
    let pool: DatabasePool

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try pool.write { database in try Self.put(database, key, value) }
    }

    func remove(_ key: [UInt8]) throws {
        try pool.write { database in
            try database.cachedStatement(sql: "DELETE FROM pairs WHERE key = ?").execute(arguments: [Data(key)])
        }
    }

    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {
        try pool.write { database in
            try fill { key, value in try Self.put(database, key, value) }
        }
    }

    private static func put(_ database: GRDB.Database, _ key: [UInt8], _ value: [UInt8]) throws {
        try database.cachedStatement(sql: "REPLACE INTO pairs (key, value) VALUES (?, ?)")
            .execute(arguments: [Data(key), Data(value)])
    }

    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT value FROM pairs WHERE key = ?")
            guard let value = try Data.fetchOne(statement, arguments: [Data(key)]) else { return false }
            value.withUnsafeBytes { body($0.bytes) }
            return true
        }
    }

    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws {
        if let key {
            try iterate("SELECT key, value FROM pairs WHERE key >= ? ORDER BY key", [Data(key)], visit)
        } else {
            try iterate("SELECT key, value FROM pairs ORDER BY key", [], visit)
        }
    }

    func scanBackwards(_ visit: PairVisitor) throws {
        try iterate("SELECT key, value FROM pairs ORDER BY key DESC", [], visit)
    }

    private func iterate(
        _ sql: String, _ arguments: StatementArguments, _ visit: PairVisitor
    ) throws {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: sql)
            let rows = try GRDB.Row.fetchCursor(statement, arguments: arguments)
            while let row = try rows.next() {
                let continues = try row.withUnsafeData(atIndex: 0) { key in
                    try row.withUnsafeData(atIndex: 1) { value in Self.lend(key, value, visit) }
                }
                if !continues { return }
            }
        }
    }

    private static func lend(
        _ key: Data?, _ value: Data?, _ visit: PairVisitor
    ) -> Bool {
        (key ?? Data()).withUnsafeBytes { key in
            (value ?? Data()).withUnsafeBytes { value in visit(key.bytes, value.bytes) }
        }
    }
}
#endif
