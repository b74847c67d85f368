internal import Heartwood

/// The engines with their names in results and on the command line, in the order of the tables.
enum EngineID: String, Sendable, Codable, CaseIterable {
    case heartwood
    case heartwoodMapped = "heartwood-mapped"
    case heartwoodThreads = "heartwood-threads"
    case rocksdb
    case leveldb
    case lmdb
    case sqlite
    case grdb
    case jsonFile = "json-file"
    case jsonFileSynced = "json-file-synced"
    case redis
    case raw

    /// Whether it is one of the ways of using Heartwood.
    var isHeartwood: Bool { [.heartwood, .heartwoodMapped, .heartwoodThreads].contains(self) }

    /// Whether it has one writer at a time, each with its own sync.
    var hasOneWriter: Bool { [.lmdb, .sqlite, .grdb].contains(self) }

    /// Whether it has records only, and no bytes by key.
    var hasOnlyRecords: Bool { [.jsonFile, .jsonFileSynced].contains(self) }

    /// Whether it has queues of jobs only.
    var hasOnlyJobs: Bool { self == .redis }

    /// Passes the engine to a visitor, by its concrete type. The only function that chooses an engine at run time.
    ///
    /// - Throws: `NotBuilt`, and what the visitor throws.
    func accept<V: EngineVisitor>(_ visitor: V) async throws -> V.Result {
        switch self {
        case .heartwood: return try await visitor.visit(HeartwoodEngine(.positioned))
        case .heartwoodMapped: return try await visitor.visit(HeartwoodEngine(.mapped))
        case .heartwoodThreads: return try await visitor.visit(HeartwoodThreadsEngine())
        case .raw: return try await visitor.visit(RawEngine())
        case .jsonFile, .jsonFileSynced: throw WrongResult("\(rawValue) has no bytes by key")
        case .redis: throw WrongResult("redis is measured with jobs only")
        default: break
        }
        #if PEER_ROCKSDB
        if self == .rocksdb { return try await visitor.visit(RocksDBEngine()) }
        #endif
        #if PEER_LEVELDB
        if self == .leveldb { return try await visitor.visit(LevelDBEngine()) }
        #endif
        #if PEER_LMDB
        if self == .lmdb { return try await visitor.visit(LMDBEngine()) }
        #endif
        #if PEER_SQLITE
        if self == .sqlite { return try await visitor.visit(SQLiteEngine()) }
        if self == .grdb { return try await visitor.visit(GRDBEngine()) }
        #endif
        throw NotBuilt(engine: self)
    }

    /// Whether this program was built with it.
    var isBuilt: Bool {
        switch self {
        case .heartwood, .heartwoodMapped, .heartwoodThreads, .jsonFile, .jsonFileSynced, .raw: return true
        case .redis: return RedisServer.version != nil
        default: break
        }
        #if PEER_ROCKSDB
        if self == .rocksdb { return true }
        #endif
        #if PEER_LEVELDB
        if self == .leveldb { return true }
        #endif
        #if PEER_LMDB
        if self == .lmdb { return true }
        #endif
        #if PEER_SQLITE
        if self == .sqlite || self == .grdb { return true }
        #endif
        return false
    }
}

/// An operation on an engine of any type.
protocol EngineVisitor {
    associatedtype Result
    func visit<E: Engine>(_ engine: E) async throws -> Result
}

/// This program was built without an engine.
struct NotBuilt: Error, CustomStringConvertible {
    let engine: EngineID
    var description: String { "this program was built without \(engine.rawValue): \(engine.howToGet)" }
}

extension EngineID {
    /// Its description in the results, whether this program was built with it or not.
    var info: EngineInfo {
        get async throws {
            guard isBuilt else {
                return EngineInfo(
                    id: rawValue, title: plainTitle, family: rawValue, version: "", settings: [], missing: howToGet)
            }
            if hasOnlyJobs { return RedisServer.info }
            if hasOnlyRecords { return JSONFileEngine(syncs: self == .jsonFileSynced).info }
            return try await accept(Describer())
        }
    }

    /// How to install an engine.
    var howToGet: String {
        let package =
            switch self {
            case .rocksdb: "librocksdb-dev"
            case .leveldb: "libleveldb-dev"
            case .lmdb: "liblmdb-dev"
            case .redis: "redis-server"
            default: "libsqlite3-dev"
            }
        return "run 'apt-get install \(package)' (Debian, Ubuntu), or Benchmarks/setup-peers, and build again"
    }

    private var plainTitle: String {
        switch self {
        case .rocksdb: "RocksDB"
        case .leveldb: "LevelDB"
        case .lmdb: "LMDB"
        case .sqlite: "SQLite"
        case .grdb: "GRDB"
        case .redis: "Redis"
        default: rawValue
        }
    }

    private struct Describer: EngineVisitor {
        func visit<E: Engine>(_ engine: E) async throws -> EngineInfo { engine.info }
    }
}
