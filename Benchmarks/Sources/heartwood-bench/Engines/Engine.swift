internal import Heartwood

/// What rows are measured with: an engine, a way to keep records, or a server of queues.
protocol Subject: Sendable {
    /// Its description in the results.
    var info: EngineInfo { get }
    /// Does what the parent has requested, in the child process. Returns nil if nothing was measured.
    func run(_ cell: Cell) async throws -> Measured?
}

/// A key-value engine, or one way of using an engine.
///
/// Workloads are generic over it, and each engine has its own `run`, so each loop is compiled for each engine. No
/// engine pays for dynamic dispatch that another engine avoids.
protocol Engine: Subject {
    associatedtype Opened: Database

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

    func run(_ cell: Cell) async throws -> Measured? {
        switch cell.spec.action {
        case .makeFixture:
            guard let fixture = cell.row.fixture else { return nil }
            try await FixtureMaker.make(fixture, self, cell)
            return nil
        case .damage(let first):
            try await DamageTrial.tryAll(self, cell, from: first)
            return nil
        case .measure: return try await measure(cell)
        }
    }

    private func measure(_ cell: Cell) async throws -> Measured {
        switch cell.row.work {
        case .write(let work): try await work.measure(self, cell)
        case .get(let work): try await work.measure(self, cell)
        case .scan(let isBackwards): try await Scanning.measure(self, cell, isBackwards: isBackwards)
        case .seek: try await Seeking.measure(self, cell)
        case .readWhileWriting: try await ReadingWhileWriting.measure(self, cell)
        case .ycsb(let mix): try await YCSBWork(mix: mix).measure(self, cell)
        case .recover(let rounds): try await Recovering.measure(self, cell, rounds: rounds)
        case .pace(let rate): try await PacedWriting.measure(self, cell, rate: rate)
        case .amplify(let work): try await work.measure(self, cell)
        case .remember: try await Remembering.measure(self, cell)
        case .jobs(let batch): try await HeartwoodQueueing.measure(cell, batch: batch)
        case .own(let measure): try await measure(cell)
        case .damage, .typed: throw WrongResult("\(cell.row.id) isn't measured like this")
        }
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
    /// Bytes written through a mapping since the opening, which the system doesn't count; nil if they aren't known.
    var mappedBytes: UInt64? { get }
    /// The store, if it is Heartwood's.
    var heartwood: Store? { get }
}

extension Database {
    var mappedBytes: UInt64? { 0 }
    var heartwood: Store? { nil }
    func settle() async throws {}
}

/// Settings of a database that differ between workloads. All other settings are in each engine's file.
struct EngineUse: Sendable {
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
