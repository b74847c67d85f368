internal import Foundation
internal import Heartwood

/// Heartwood as Swift services use it: tasks write, and reads block while the disk does; or from threads.
struct HeartwoodEngine: Engine {
    let id: EngineID

    init(_ id: EngineID) { self.id = id }

    var runsOnThreads: Bool { false }
    var unimportantFiles: [String] { ["LOCK"] }

    var info: EngineInfo {
        let (title, settings) =
            switch id {
            case .heartwoodMapped:
                (
                    "Heartwood, mapped",
                    "valueReading = .mapped: values are read from a mapping of the files; otherwise as Heartwood."
                )
            case .heartwoodThreads:
                (
                    "Heartwood, threads",
                    """
                    Each writer is a thread that calls the blocking forms of put, remove and write; otherwise as \
                    Heartwood.
                    """
                )
            default:
                (
                    "Heartwood",
                    """
                    Default settings: values are read by pread, and every read verifies the record's checksum.
                    Writes are .synced, .written or .buffered, as the row promises.
                    strictRecovery in the rows with all checks on.
                    No compression, as by default; .zlib() in the row with compression.
                    Typed rows: a repository with JSON, the default coder.
                    """
                )
            }
        return EngineInfo(id, title, family: "heartwood", version: Self.version, settings: settings)
    }

    /// The newest version in the change log, with the commit if the sources are a Git checkout.
    static let version: String = {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(6).dropFirst().joined(separator: "/")
        let changes = (try? String(contentsOfFile: "/\(root)/CHANGELOG.md", encoding: .utf8)) ?? ""
        let heading = changes.split(separator: "\n").first { $0.hasPrefix("## ") }
        let version = heading?.dropFirst(3).split(separator: " ").first.map(String.init) ?? "of unknown version"
        let commit = CommandOutput.firstLine("git", "-C", "/\(root)", "describe", "--always", "--dirty")
        return commit.map { "\(version) (\($0))" } ?? version
    }()

    func open(at path: String, for use: EngineUse) async throws -> HeartwoodDatabase<HeartwoodSession> {
        var configuration = Store.Configuration()
        configuration.valueReading = id == .heartwoodMapped ? .mapped : .positioned
        configuration.strictRecovery = use.isParanoid
        if use.compresses { configuration.compression = .zlib() }
        let store = try await Store.open(at: path, configuration: configuration)
        return HeartwoodDatabase(
            session: HeartwoodSession(store: store, durability: use.promise.durability), store: store)
    }
}

/// Heartwood from threads, for code that isn't `async`.
struct HeartwoodThreadsEngine: Engine {
    private let base = HeartwoodEngine(.heartwoodThreads)

    var info: EngineInfo { base.info }
    var runsOnThreads: Bool { true }
    var unimportantFiles: [String] { base.unimportantFiles }

    func open(at path: String, for use: EngineUse) async throws -> HeartwoodDatabase<HeartwoodThreadSession> {
        let database = try await base.open(at: path, for: use)
        return HeartwoodDatabase(session: HeartwoodThreadSession(base: database.session()), store: database.store)
    }
}

/// A thread's use of a store: each call blocks until the write has its durability.
struct HeartwoodThreadSession: Session {
    let base: HeartwoodSession

    @inline(__always)
    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try base.store.blocking.put(key, value, durability: base.durability)
    }

    @inline(__always)
    func remove(_ key: [UInt8]) throws { try base.store.blocking.remove(key, durability: base.durability) }

    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {
        try base.store.blocking.write(base.batch(fill), durability: base.durability)
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool { try base.get(key, body) }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws { try base.scan(from: key, visit) }

    @inline(__always)
    func scanBackwards(_ visit: PairVisitor) throws { try base.scanBackwards(visit) }
}

extension Promise {
    /// Heartwood's name for it.
    var durability: Durability {
        switch self {
        case .survivesPowerLoss: .synced
        case .survivesProcessDeath: .written
        case .mayLoseLastMoments: .buffered
        }
    }
}

/// An open store.
struct HeartwoodDatabase<S: Session>: Database {
    /// The same for all workers, because it has no state.
    private let shared: S
    let store: Store

    init(session: S, store: Store) {
        shared = session
        self.store = store
    }

    func session() -> S { shared }
    var heartwood: Store? { store }
    func compactAll() async throws { try await store.compact() }

    func settle() async throws {
        try await store.sync()
        while store.statistics.compaction.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    }

    func close() async throws { try await store.close() }

    var mappedBytes: UInt64? {
        let statistics = store.statistics
        return statistics.logWriting == .mapped ? statistics.writtenBytes : 0
    }
}
