/// A key-value engine, or one way of using an engine.
///
/// Workloads are generic over it, and `EngineID.accept` passes the concrete type, so each loop is compiled for each
/// engine. No engine pays for dynamic dispatch that another engine avoids.
protocol Engine: Sendable {
    associatedtype Opened: Database

    var id: EngineID { get }
    /// The name that tables show.
    var title: String { get }
    /// The engine of which it is a way of using: `heartwood` for all of Heartwood's.
    var family: String { get }
    var version: String { get }
    /// Settings that differ from the defaults, with the reasons; one sentence each.
    var settings: [String] { get }
    /// Whether a write blocks its thread, so that each writer needs its own thread.
    var runsOnThreads: Bool { get }
    /// Whether compacted fixtures are filled in the order of the keys: filling a B-tree in random order takes several
    /// times as long, and makes later reads slower.
    var isFilledInOrder: Bool { get }
    /// Files in its directory that aren't data: locks, and logs for people.
    var unimportantFiles: [String] { get }

    /// Opens the database in an existing directory; creates one if there is none.
    func open(at path: String, for use: EngineUse) async throws -> Opened
}

extension Engine {
    var isFilledInOrder: Bool { false }
    var unimportantFiles: [String] { [] }

    /// Its description in the results.
    var info: EngineInfo {
        EngineInfo(id: id.rawValue, title: title, family: family, version: version, settings: settings, missing: nil)
    }
}

/// An open database. Each worker uses its own session.
protocol Database: Sendable {
    associatedtype Session: heartwood_bench.Session

    /// A session for one worker.
    func session() throws -> Session
    /// Compacts everything, so that reads are as fast as possible.
    func compactAll() async throws
    /// Waits until no background work is running.
    func settle() async throws
    /// Closes it. All sessions must have ended. Nothing may be called afterwards.
    func close() async throws
    /// Whether the report of the opening, which a program must request, says that bytes were skipped.
    var reportsLoss: Bool { get }
    /// Bytes written through a mapping since the opening, which the system doesn't count; nil if they aren't known.
    var mappedBytes: UInt64? { get }
}

extension Database {
    var reportsLoss: Bool { false }
    var mappedBytes: UInt64? { 0 }
    func settle() async throws {}
}

/// A worker's operations on a database. Used by one worker at a time.
///
/// Writes are `async` because Heartwood's are. Engines whose calls block implement them by functions that aren't
/// `async`, so their loops have no suspension points. Reads block in every engine.
protocol Session: Sendable {
    nonisolated(nonsending) func put(_ key: [UInt8], _ value: [UInt8]) async throws
    nonisolated(nonsending) func remove(_ key: [UInt8]) async throws
    /// Puts what `fill` adds, all or nothing.
    nonisolated(nonsending) func write(
        _ fill: (_ add: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void
    ) async throws
    /// Lends the value of a key to `body`; returns false if there is none.
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool
    /// Lends the pairs from a key on (from the first if it is nil), in the order of the keys, until `visit` returns
    /// false.
    func scan(from key: [UInt8]?, _ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws
    /// Lends all pairs, from the last to the first, until `visit` returns false.
    func scanBackwards(_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws
    /// Releases its resources.
    func end()
}

extension Session {
    func end() {}
}

/// Settings of a database that differ between workloads. All other settings are in each engine's file.
struct EngineUse: Sendable, Codable, Hashable {
    /// What a write survives once it has returned.
    var promise = Promise.survivesProcessDeath
    /// Whether nothing is written.
    var onlyReads = false
    /// Whether values are compressed, by the engine's own compression.
    var compresses = false
    /// Whether all checks of the engine are on, including those that are off by default.
    var isParanoid = false
}

/// A failed call of an engine.
struct EngineFailure: Error, CustomStringConvertible {
    let description: String

    init(_ engine: String, _ message: String) { description = "\(engine): \(message)" }
}

/// A wrong result of a workload. The cell fails, and has no figures.
struct WrongResult: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
