internal import Heartwood

/// Heartwood from threads, for code that isn't `async`: each call blocks until the write has the row's durability.
struct HeartwoodThreadsEngine: Engine {
    var id: EngineID { .heartwoodThreads }
    var title: String { "Heartwood, threads" }
    var family: String { "heartwood" }
    var version: String { HeartwoodVersion.current }
    var runsOnThreads: Bool { true }
    var unimportantFiles: [String] { ["LOCK"] }
    var settings: [String] {
        ["Each writer is a thread that calls the blocking forms of put, remove and write; otherwise as Heartwood."]
    }

    func open(at path: String, for use: EngineUse) async throws -> HeartwoodThreadsDatabase {
        let store = try await Store.open(
            at: path, configuration: HeartwoodEngine.configuration(.positioned, use))
        return HeartwoodThreadsDatabase(base: HeartwoodDatabase(store, use.promise.durability), use: use)
    }
}

/// An open store for threads.
struct HeartwoodThreadsDatabase: Database {
    let base: HeartwoodDatabase
    let use: EngineUse

    func session() -> HeartwoodThreadsSession {
        HeartwoodThreadsSession(reading: base.session(), durability: use.promise.durability)
    }

    func compactAll() async throws { try await base.compactAll() }
    func settle() async throws { try await base.settle() }
    func close() async throws { try await base.close() }
    var reportsLoss: Bool { base.reportsLoss }
    var mappedBytes: UInt64? { base.mappedBytes }
}

/// A thread's use of a store.
struct HeartwoodThreadsSession: Session {
    let reading: HeartwoodSession
    let durability: Durability

    @inline(__always)
    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try reading.store.blocking.put(key, value, durability: durability)
    }

    @inline(__always)
    func remove(_ key: [UInt8]) throws { try reading.store.blocking.remove(key, durability: durability) }

    func write(_ fill: (_ add: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void) throws {
        try reading.store.blocking.write(HeartwoodSession.batch(reading.store, fill), durability: durability)
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool { try reading.get(key, body) }

    @inline(__always)
    func scan(from key: [UInt8]?, _ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        try reading.scan(from: key, visit)
    }

    @inline(__always)
    func scanBackwards(_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws {
        try reading.scanBackwards(visit)
    }
}
