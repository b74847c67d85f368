/// A key-value engine, or one of the ways in which one is used, as the workloads see it.
///
/// Workloads are generic over it, and `EngineID.accept` hands them the concrete type, so that each loop is compiled for
/// each engine: no call in one goes through a table that another engine wouldn't go through.
protocol Engine: Sendable {
    associatedtype Opened: Database

    var id: EngineID { get }
    /// As people call it.
    var title: String { get }
    /// What it is a way of using.
    var family: String { get }
    var version: String { get }
    /// What is set differently from how it comes, and why; one sentence each.
    var settings: [String] { get }
    /// Whether a write blocks its thread, so that each writer needs a thread of its own.
    var runsOnThreads: Bool { get }
    /// Whether it is filled in the order of the keys: a B-tree that is filled in random order takes several times as
    /// long, and reads worse afterwards.
    var isFilledInOrder: Bool { get }
    /// Files of its directory that aren't data: locks, and logs for people.
    var unimportantFiles: [String] { get }

    /// Opens the database of that directory, which is there; makes one where there is none.
    func open(at path: String, for use: EngineUse) async throws -> Opened
}

extension Engine {
    var isFilledInOrder: Bool { false }
    var unimportantFiles: [String] { [] }

    /// What the results say of it.
    var info: EngineInfo {
        EngineInfo(id: id.rawValue, title: title, family: family, version: version, settings: settings, missing: nil)
    }
}

/// A database that is open. Each worker works through a session of its own.
protocol Database: Sendable {
    associatedtype Session: heartwood_bench.Session

    /// A worker's way to it, for that worker alone.
    func session() throws -> Session
    /// Brings it into the shape in which it reads best.
    func compactAll() async throws
    /// Waits until nothing goes on in the background.
    func settle() async throws
    /// Closes it; nothing may be called afterwards. Sessions have ended before.
    func close() async throws
    /// Whether a report of the opening, which one has to ask for, says that bytes were passed over.
    var reportsLoss: Bool { get }
}

extension Database {
    var reportsLoss: Bool { false }
    func settle() async throws {}
}

/// What one worker does with a database; used by one at a time.
///
/// Writes are `async` because Heartwood's are; the engines whose calls block have functions that aren't, and then the
/// loops have no point at which they could be suspended. Reads block in every engine.
protocol Session: Sendable {
    nonisolated(nonsending) func put(_ key: [UInt8], _ value: [UInt8]) async throws
    nonisolated(nonsending) func remove(_ key: [UInt8]) async throws
    /// Puts what `fill` adds, together or not at all.
    nonisolated(nonsending) func write(
        _ fill: (_ add: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void
    ) async throws
    /// Lends the value of a key to `body`; false where there is none.
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool
    /// Lends the pairs from a key on (from the first where it is nil), in the order of the keys, until `visit` says
    /// false.
    func scan(from key: [UInt8]?, _ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws
    /// Lends all pairs, from the last to the first, until `visit` says false.
    func scanBackwards(_ visit: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws
    /// Lets go of what it holds.
    func end()
}

extension Session {
    func end() {}
}

/// What a database is opened for: what differs between workloads. Everything else is set once, in each engine's file.
struct EngineUse: Sendable, Codable, Hashable {
    /// What a write has survived when it has returned.
    var promise = Promise.survivesProcessDeath
    /// Whether nothing is written.
    var onlyReads = false
    /// Whether all that is written stays in the log, so that the next opening has to replay it.
    var keepsLog = false
    /// Whether values are compressed, by the engine's own means.
    var compresses = false
    /// Whether all the checks are on that the engine has, where they aren't as it comes.
    var isParanoid = false
}

/// A call of an engine that failed.
struct EngineFailure: Error, CustomStringConvertible {
    let description: String

    init(_ engine: String, _ message: String) { description = "\(engine): \(message)" }
}

/// A result that isn't what it must be: no figure of it is worth anything.
struct WrongResult: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
