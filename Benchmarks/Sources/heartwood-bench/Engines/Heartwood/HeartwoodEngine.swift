internal import Heartwood

/// Heartwood as a Swift service uses it: tasks write, and reads block while the disk does.
struct HeartwoodEngine: Engine {
    private let reading: ValueReading

    init(_ reading: ValueReading) { self.reading = reading }

    var id: EngineID { reading == .mapped ? .heartwoodMapped : .heartwood }
    var title: String { reading == .mapped ? "Heartwood, mapped" : "Heartwood" }
    var family: String { "heartwood" }
    var version: String { HeartwoodVersion.current }
    var runsOnThreads: Bool { false }
    var unimportantFiles: [String] { ["LOCK"] }

    var settings: [String] {
        reading == .mapped
            ? [
                "valueReading = .mapped: values are read from a mapping of the files; otherwise as Heartwood."
            ]
            : [
                "Default settings: values are read by pread, and every read verifies the record's checksum.",
                "Writes are .synced, .written or .buffered, as the row promises.",
                "strictRecovery in the rows with all checks on.",
                "No compression, as by default; .zlib() in the row with compression.",
                "Typed rows: a repository with JSON, the default coder.",
            ]
    }

    func open(at path: String, for use: EngineUse) async throws -> HeartwoodDatabase {
        HeartwoodDatabase(
            try await Store.open(at: path, configuration: Self.configuration(reading, use)), use.promise.durability)
    }

    /// The configuration of a store.
    static func configuration(_ reading: ValueReading, _ use: EngineUse) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.valueReading = reading
        configuration.strictRecovery = use.isParanoid
        if use.compresses { configuration.compression = .zlib() }
        return configuration
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

    init(_ store: Store, _ durability: Durability) {
        self.store = store
        self.durability = durability
    }

    func session() -> HeartwoodSession { HeartwoodSession(store: store, durability: durability) }
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

/// A task's use of a store.
struct HeartwoodSession: Session {
    let store: Store
    let durability: Durability

    @inline(__always)
    nonisolated(nonsending) func put(_ key: [UInt8], _ value: [UInt8]) async throws {
        try await store.put(key, value, durability: durability)
    }

    @inline(__always)
    nonisolated(nonsending) func remove(_ key: [UInt8]) async throws {
        try await store.remove(key, durability: durability)
    }

    nonisolated(nonsending) func write(
        _ fill: (_ add: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void
    ) async throws {
        try await store.write(Self.batch(store, fill), durability: durability)
    }

    @inline(__always)
    static func batch(
        _ store: Store, _ fill: (_ add: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void
    ) throws -> WriteBatch {
        var batch = store.makeBatch()
        try fill { key, value in batch.put(key, value) }
        return batch
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        try store.withEntry(key) { value, _, _ in body(value) } != nil
    }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        try store.scan(key.map { .from($0) } ?? .all).forEach { key, value in visit(key, value) ? .next : .stop }
    }

    @inline(__always)
    func scanBackwards(_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        try store.scan(reversed: true).forEach { key, value in visit(key, value) ? .next : .stop }
    }
}
