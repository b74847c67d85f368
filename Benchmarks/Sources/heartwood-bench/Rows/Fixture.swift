internal import Foundation

/// A filled store that rows start from, made once for each engine by a process of its own.
struct Fixture: Sendable {
    /// How the store was filled and left.
    enum State: String, Sendable {
        /// Filled in batches, compacted, and closed.
        case compacted
        /// Every key put by a single write, in random order, and closed. No compaction was requested.
        case filled
        /// The same as `filled`, but the process was killed.
        case filledKilled
        /// Every key put twice by single writes, and the process was killed.
        case overwrittenKilled
        /// Cities of the typed rows, compacted, and closed.
        case cities
        /// Few records, part of them compacted, and closed.
        case smallClosed
        /// The same, but the process was killed.
        case smallKilled
    }

    var state: State
    var keys: Int
    var valueBytes: Int

    /// The name of its directory. The ways of using Heartwood share their stores. GRDB shares closed stores with
    /// SQLite, because it makes the same files.
    func name(_ engine: EngineID) -> String {
        let sharesFiles = engine == .grdb && [.compacted, .filled].contains(state)
        let family = engine.isHeartwood ? .heartwood : sharesFiles ? EngineID.sqlite : engine
        return "\(family.rawValue)-\(state.rawValue)-\(keys)-\(valueBytes)"
    }

    /// Whether the process that makes it is killed instead of closing the store.
    var isKilled: Bool { [.filledKilled, .overwrittenKilled, .smallKilled].contains(state) }
}

/// Makes fixtures.
enum FixtureMaker {
    /// Pairs in one batch of a fill.
    private static let batchSize = 10_000

    /// Keeps databases open until the process is killed: releasing one may close it.
    nonisolated(unsafe) private static var openDatabases: [any Database] = []

    /// Fills the store of a cell as the fixture of its row requires.
    static func make<E: Engine>(_ fixture: Fixture, _ engine: E, _ cell: Cell) async throws {
        if engine is RawEngine { return try RawValues.write(cell.data, to: RawValues.path(in: cell.spec.store)) }
        var use = EngineUse()
        // Durable, so that no engine may take a changed byte for the effect of a crash.
        if [.smallClosed, .smallKilled].contains(fixture.state) { use.promise = .survivesPowerLoss }
        let database = try await engine.open(at: cell.spec.store, for: use)
        switch fixture.state {
        case .compacted: try await fillInBatches(database, cell, inOrder: engine.isFilledInOrder)
        case .filled, .filledKilled: try await putAll(engine, database, cell, rounds: 1)
        case .overwrittenKilled: try await putAll(engine, database, cell, rounds: 2)
        case .smallClosed, .smallKilled:
            let session = try database.session()
            try await DamageStore.fill(session, database, cell.data)
            session.end()
        case .cities: throw WrongResult("cities are made by typed rows")
        }
        if fixture.isKilled { openDatabases.append(database) } else { try await database.close() }
    }

    private static func fillInBatches<D: Database>(_ database: D, _ cell: Cell, inOrder: Bool) async throws {
        let session = try database.session()
        let keys = cell.data.keys()
        var numbers: [Int] = []
        numbers.reserveCapacity(keys.count)
        if inOrder {
            keys.forEachInOrder { numbers.append($0) }
        } else {
            numbers += 0..<keys.count
        }
        var key = keys.makeBuffer()
        let size = max(1, min(batchSize, (16 << 20) / cell.data.pairBytes))
        for start in stride(from: 0, to: numbers.count, by: size) {
            try await session.write { add in
                for number in numbers[start..<min(start + size, numbers.count)] {
                    keys.write(number, to: &key)
                    try add(key, cell.data.value(number))
                }
            }
        }
        session.end()
        try await database.compactAll()
        try await database.settle()
    }

    /// Puts every key by a single write, `rounds` times.
    private static func putAll<E: Engine>(
        _ engine: E, _ database: E.Opened, _ cell: Cell, rounds: Int
    ) async throws {
        _ = try await Team.run(1, onThreads: engine.runsOnThreads) { _ in
            let session = try database.session()
            for round in 0..<rounds {
                let watch = Stopwatch(deadline: .max, limit: cell.data.keyCount, interval: 16)
                _ = try await Loops.put(session, cell.walk(round: round), cell.data, watch)
            }
            session.end()
        }
    }
}
