#if PEER_LMDB
internal import CLMDB

/// LMDB with a map that is large enough for all databases of these benchmarks.
struct LMDBEngine: Engine {
    var runsOnThreads: Bool { true }
    var isFilledInOrder: Bool { true }
    var unimportantFiles: [String] { ["lock.mdb"] }

    var info: EngineInfo {
        EngineInfo(
            .lmdb, "LMDB", version: "\(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)",
            settings: """
                A map of 64 GiB, which is address space only; MDB_NOTLS, because reading transactions of these \
                benchmarks aren't bound to threads.
                Defaults where a write survives power loss; MDB_WRITEMAP and MDB_NOSYNC where it survives process \
                death (power loss may then damage the whole database). It can't keep writes back in the process.
                One transaction per put. The gets of a thread share a reading transaction, renewed every 256 gets, \
                in its favour: without renewal it would read fastest, but not see newer writes.
                Compacted databases are filled in the order of the keys, in its favour: pages are full, as after a \
                bulk load.
                It has one writer at a time, each with its own sync. More writers only wait in a queue, so it is \
                measured with up to 64.
                It has no checksums and no compression.
                """)
    }

    func open(at path: String, for use: EngineUse) async throws -> LMDBDatabase { try LMDBDatabase(path, use) }
}

/// An open environment with its only database.
///
/// - Note: `@unchecked`: LMDB's own locks protect the environment; the pointer never changes.
final class LMDBDatabase: Database, @unchecked Sendable {
    /// Address space, not memory; the file grows as it is filled.
    private static let mapBytes = 64 << 30

    fileprivate let environment: OpaquePointer
    fileprivate let database: MDB_dbi
    let mappedBytes: UInt64?

    init(_ path: String, _ use: EngineUse) throws {
        var environment: OpaquePointer?
        try Self.check(mdb_env_create(&environment))
        guard let environment else { throw EngineFailure("LMDB", "could not be opened at \(path)") }
        try Self.check(mdb_env_set_mapsize(environment, Self.mapBytes))
        try Self.check(mdb_env_set_maxreaders(environment, 8_192))
        let unsynced = use.promise == .survivesPowerLoss ? 0 : MDB_WRITEMAP | MDB_NOSYNC
        try Self.check(mdb_env_open(environment, path, UInt32(MDB_NOTLS | unsynced), 0o600))
        var database = MDB_dbi()
        var transaction: OpaquePointer?
        try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
        try Self.check(mdb_dbi_open(transaction, nil, 0, &database))
        try Self.check(mdb_txn_commit(transaction))
        self.environment = environment
        self.database = database
        // With MDB_WRITEMAP all pages are written through the mapping.
        mappedBytes = unsynced == 0 ? 0 : nil
    }

    func session() -> LMDBSession { LMDBSession(self) }
    /// It has nothing to compact, and never shrinks.
    func compactAll() async throws { try Self.check(mdb_env_sync(environment, 1)) }
    func close() async throws { mdb_env_close(environment) }

    @inline(__always)
    static func check(_ code: CInt) throws {
        guard code == 0 else { throw EngineFailure("LMDB", String(cString: mdb_strerror(code))) }
    }
}

/// A thread's session, with its own reading transaction.
///
/// - Note: `@unchecked`: used by one thread at a time.
final class LMDBSession: Session, @unchecked Sendable {
    private static let getsOfView = 256

    private let environment: OpaquePointer
    private let database: MDB_dbi
    private var view: OpaquePointer?
    private var getsLeft = 0

    init(_ database: LMDBDatabase) {
        environment = database.environment
        self.database = database.database
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try write { add in try add(key, value) }
    }

    func remove(_ key: [UInt8]) throws {
        try transact { transaction in
            try Self.withItem(key) { key in
                let code = mdb_del(transaction, database, &key, nil)
                if code != MDB_NOTFOUND { try LMDBDatabase.check(code) }
            }
        }
    }

    @inline(__always)
    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {
        try transact { transaction in
            try fill { key, value in
                try Self.withItem(key) { key in
                    try Self.withItem(value) { value in
                        try LMDBDatabase.check(mdb_put(transaction, database, &key, &value, 0))
                    }
                }
            }
        }
    }

    @inline(__always)
    private func transact(_ body: (OpaquePointer?) throws -> Void) throws {
        var transaction: OpaquePointer?
        try LMDBDatabase.check(mdb_txn_begin(environment, nil, 0, &transaction))
        do {
            try body(transaction)
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try LMDBDatabase.check(mdb_txn_commit(transaction))
        // The next get must see this write.
        getsLeft = 0
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        if getsLeft == 0 { try renewView() }
        getsLeft -= 1
        return try Self.withItem(key) { key in
            var value = MDB_val()
            let code = mdb_get(view, database, &key, &value)
            if code == MDB_NOTFOUND { return false }
            try LMDBDatabase.check(code)
            body(lent(value.mv_data, value.mv_size).bytes)
            return true
        }
    }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws {
        guard let key else { return try iterate(from: MDB_val(), MDB_FIRST, MDB_NEXT, visit) }
        try Self.withItem(key) { key in try iterate(from: key, MDB_SET_RANGE, MDB_NEXT, visit) }
    }

    @inline(__always)
    func scanBackwards(_ visit: PairVisitor) throws {
        try iterate(from: MDB_val(), MDB_LAST, MDB_PREV, visit)
    }

    @inline(__always)
    private func iterate(
        from start: MDB_val, _ first: MDB_cursor_op, _ next: MDB_cursor_op,
        _ visit: PairVisitor
    ) throws {
        try renewView()
        var cursor: OpaquePointer?
        try LMDBDatabase.check(mdb_cursor_open(view, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        var (key, value) = (start, MDB_val())
        var step = first
        while true {
            let code = mdb_cursor_get(cursor, &key, &value, step)
            if code == MDB_NOTFOUND { return }
            try LMDBDatabase.check(code)
            guard visit(lent(key.mv_data, key.mv_size).bytes, lent(value.mv_data, value.mv_size).bytes) else { return }
            step = next
        }
    }

    func end() {
        if let view { mdb_txn_abort(view) }
        view = nil
        getsLeft = 0
    }

    private func renewView() throws {
        getsLeft = Self.getsOfView
        if let view {
            mdb_txn_reset(view)
            try LMDBDatabase.check(mdb_txn_renew(view))
        } else {
            try LMDBDatabase.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &view))
        }
    }

    @inline(__always)
    private static func withItem<R>(_ bytes: [UInt8], _ body: (inout MDB_val) throws -> R) throws -> R {
        try bytes.withUnsafeBytes { bytes in
            // LMDB doesn't write to keys and values, although its C declaration isn't const.
            var item = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return try body(&item)
        }
    }
}
#endif
