internal import CLMDB

/// LMDB, as it comes, with room for any database that these benchmarks make.
///
/// Each put is a transaction of its own. Without `isSynced` commits aren't synced (`MDB_NOSYNC`). Reading transactions
/// aren't bound to a thread (`MDB_NOTLS`), because threads of these benchmarks come and go. Gets share a reading
/// transaction, which is renewed every 256 gets: LMDB reads fastest when it is never renewed, and sees newer writes
/// only when it is.
///
/// - Note: `@unchecked`: used by one thread at a time.
final class LMDB: Peer, @unchecked Sendable {
    static let id = "lmdb"
    static let title = "LMDB"
    static var version: String { "\(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)" }
    /// One writer at a time, each with a sync of its own.
    static let sharesSyncs = false
    static let hasLog = false
    static let isFilledInOrder = true

    /// Address space, not memory; the file grows as it is filled.
    private static let mapBytes = 64 << 30
    private static let getsOfView = 256

    private let environment: OpaquePointer
    private let database: MDB_dbi
    private var view: OpaquePointer?
    private var getsLeft = 0

    init(opening path: String, _ settings: PeerSettings) throws {
        var environment: OpaquePointer?
        try Self.check(mdb_env_create(&environment))
        guard let environment else { throw PeerFailure(Self.title, "could not be opened at \(path)") }
        try Self.check(mdb_env_set_mapsize(environment, Self.mapBytes))
        let flags = UInt32(MDB_NOTLS) | (settings.isSynced ? 0 : UInt32(MDB_NOSYNC))
        try Self.check(mdb_env_open(environment, path, flags, 0o600))
        var database = MDB_dbi()
        var transaction: OpaquePointer?
        try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
        try Self.check(mdb_dbi_open(transaction, nil, 0, &database))
        try Self.check(mdb_txn_commit(transaction))
        self.environment = environment
        self.database = database
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try putTogether { add in try add(key, value) }
    }

    @inline(__always)
    func putTogether(_ body: ((_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void) throws {
        var transaction: OpaquePointer?
        try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
        do {
            try body { key, value in
                try Self.withItem(key) { key in
                    try Self.withItem(value) { value in
                        try Self.check(mdb_put(transaction, database, &key, &value, 0))
                    }
                }
            }
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try Self.check(mdb_txn_commit(transaction))
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        if getsLeft == 0 { try renewView() }
        getsLeft -= 1
        return try Self.withItem(key) { key in
            var value = MDB_val()
            let code = mdb_get(view, database, &key, &value)
            if code == MDB_NOTFOUND { return false }
            try Self.check(code)
            body(lent(value.mv_data, value.mv_size).bytes)
            return true
        }
    }

    @inline(__always)
    func scan(keysOnly: Bool, _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        try renewView()
        var cursor: OpaquePointer?
        try Self.check(mdb_cursor_open(view, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        var (key, value) = (MDB_val(), MDB_val())
        while true {
            // Values lie beside the keys: not to ask for them would make no difference.
            let code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            if code == MDB_NOTFOUND { return }
            try Self.check(code)
            guard body(lent(key.mv_data, key.mv_size).bytes, lent(value.mv_data, value.mv_size).bytes) else { return }
        }
    }

    func settle() throws { try Self.check(mdb_env_sync(environment, 1)) }

    func close() throws {
        if let view { mdb_txn_abort(view) }
        mdb_env_close(environment)
    }

    private func renewView() throws {
        getsLeft = Self.getsOfView
        if let view {
            mdb_txn_reset(view)
            try Self.check(mdb_txn_renew(view))
        } else {
            try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &view))
        }
    }

    @inline(__always)
    private static func withItem<R>(_ bytes: [UInt8], _ body: (inout MDB_val) throws -> R) throws -> R {
        try bytes.withUnsafeBytes { bytes in
            // LMDB writes to neither; its C declaration only doesn't say so.
            var item = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return try body(&item)
        }
    }

    @inline(__always)
    private static func check(_ code: CInt) throws {
        guard code == 0 else { throw PeerFailure(title, String(cString: mdb_strerror(code))) }
    }
}
