internal import Foundation
internal import Heartwood

/// Heartwood as Swift services use it: tasks write, and reads block while the disk does; or from threads.
struct HeartwoodEngine: Engine {
    let id: EngineID

    init(_ id: EngineID) { self.id = id }

    var runsOnThreads: Bool { id == .heartwoodThreads }
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

    func open(at path: String, for use: EngineUse) async throws -> HeartwoodDatabase {
        var configuration = Store.Configuration()
        configuration.valueReading = id == .heartwoodMapped ? .mapped : .positioned
        configuration.strictRecovery = use.isParanoid
        if use.compresses { configuration.compression = .zlib() }
        let store = try await Store.open(at: path, configuration: configuration)
        return HeartwoodDatabase(store, use.promise.durability, blocks: runsOnThreads)
    }
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
struct HeartwoodDatabase: Database {
    let store: Store
    private let durability: Durability
    private let blocks: Bool

    init(_ store: Store, _ durability: Durability, blocks: Bool = false) {
        self.store = store
        self.durability = durability
        self.blocks = blocks
    }

    func session() -> HeartwoodSession { HeartwoodSession(store: store, durability: durability, blocks: blocks) }
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

    var reportsLoss: Bool {
        switch store.statistics.recovery.tail {
        case .new, .closed, .unclosed: false
        default: true
        }
    }
}
