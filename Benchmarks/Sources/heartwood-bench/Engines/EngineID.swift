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

    /// What does a work with this engine; nil if this program was built without it. The only function that chooses an
    /// engine at run time.
    func subject(for work: Work? = nil) -> (any Subject)? {
        var isTyped = false
        if case .typed = work { isTyped = true }
        switch self {
        case .heartwood where isTyped: return RepositoryEngine()
        case .heartwood, .heartwoodMapped: return HeartwoodEngine(self)
        case .heartwoodThreads: return HeartwoodThreadsEngine()
        case .jsonFile, .jsonFileSynced: return JSONFileEngine(syncs: self == .jsonFileSynced)
        case .redis: return RedisServer.version.map { Redis(version: $0) }
        case .raw: return RawEngine()
        default: break
        }
        #if PEER_ROCKSDB
        if self == .rocksdb { return RocksDBEngine() }
        #endif
        #if PEER_LEVELDB
        if self == .leveldb { return LevelDBEngine() }
        #endif
        #if PEER_LMDB
        if self == .lmdb { return LMDBEngine() }
        #endif
        #if PEER_SQLITE
        if self == .sqlite { return SQLiteEngine() }
        if self == .grdb { return isTyped ? GRDBRecordEngine() as any Subject : GRDBEngine() }
        #endif
        return nil
    }

    /// Whether this program was built with it.
    var isBuilt: Bool { subject() != nil }

    /// Its description in the results, whether this program was built with it or not.
    var info: EngineInfo {
        if let subject = subject() { return subject.info }
        let (title, package) = Self.packages[self] ?? (rawValue, "")
        var info = EngineInfo(self, title, version: "")
        info.missing =
            "run 'apt-get install \(package)' (Debian, Ubuntu), or Benchmarks/setup-peers, and build again"
        return info
    }

    private static let packages: [EngineID: (title: String, package: String)] = [
        .rocksdb: ("RocksDB", "librocksdb-dev"), .leveldb: ("LevelDB", "libleveldb-dev"),
        .lmdb: ("LMDB", "liblmdb-dev"), .sqlite: ("SQLite", "libsqlite3-dev"), .grdb: ("GRDB", "libsqlite3-dev"),
        .redis: ("Redis", "redis-server"),
    ]
}

extension EngineInfo {
    /// - Parameters:
    ///   - family: The engine's name by default.
    ///   - settings: A sentence on each line.
    init(_ id: EngineID, _ title: String, family: String? = nil, version: String, settings: String = "") {
        self.init(
            id: id.rawValue, title: title, family: family ?? id.rawValue, version: version,
            settings: settings.split(separator: "\n").map(String.init))
    }
}
