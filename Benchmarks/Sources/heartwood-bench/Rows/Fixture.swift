internal import Foundation

/// A filled store that rows start from, made once for each engine by a process of its own.
struct Fixture: Sendable, Codable, Hashable {
    /// How it was filled and left.
    enum State: String, Sendable, Codable, Hashable {
        /// Filled, brought into the best shape for reading, and closed.
        case compacted
        /// Every key put by a write of its own, all of it in the log, and then killed.
        case killedLog
        /// Filled and overwritten once, by single writes, as the engine comes, and then killed.
        case killedOverwritten
        /// Few records, part of them compacted, and closed.
        case smallClosed
        /// The same, and killed.
        case smallKilled
    }

    var state: State
    var keys: Int
    var valueBytes: Int
    var contents: Dataset.Contents
    var compresses: Bool

    /// What its directory is called.
    func name(_ engine: EngineID) -> String {
        let compression = compresses ? "-compressed" : ""
        return "\(family(engine))-\(state.rawValue)-\(keys)-\(valueBytes)-\(contents.rawValue)\(compression)"
    }

    /// Heartwood's ways of being used share their stores.
    private func family(_ engine: EngineID) -> String { engine.isHeartwood ? "heartwood" : engine.rawValue }

    /// Whether the process that makes it is killed when it is done.
    var isKilled: Bool { ![.compacted, .smallClosed].contains(state) }
}

/// Makes fixtures.
enum FixtureMaker {
    /// Pairs of one batch while it is filled.
    private static let batchSize = 10_000

    /// Fills the store of a cell as the fixture of its row says.
    static func make<E: Engine>(_ fixture: Fixture, _ engine: E, _ cell: Cell) async throws {
        if engine is RawEngine { return try RawValues.write(cell.data, to: RawValues.path(in: cell.store)) }
        switch fixture.state {
        case .compacted: try await fill(engine, cell, compresses: fixture.compresses)
        case .killedLog: try await putAll(engine, cell, EngineUse(keepsLog: true), rounds: 1)
        case .killedOverwritten: try await putAll(engine, cell, EngineUse(), rounds: 2)
        case .smallClosed, .smallKilled:
            // Durable, so that no engine may take a change for what a crash left.
            let database = try await engine.open(at: cell.store, for: EngineUse(promise: .survivesPowerLoss))
            let session = try database.session()
            try await DamageStore.fill(session, database, cell.data)
            guard fixture.isKilled else {
                session.end()
                return try await database.close()
            }
            held.append(database)
        }
    }

    private static func fill<E: Engine>(_ engine: E, _ cell: Cell, compresses: Bool) async throws {
        let database = try await engine.open(at: cell.store, for: EngineUse(compresses: compresses))
        let session = try database.session()
        let keys = cell.data.keys()
        var numbers: [Int] = []
        numbers.reserveCapacity(keys.count)
        if engine.isFilledInOrder {
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
        try await database.close()
    }

    /// Puts every key by a write of its own, and leaves the store open: the process is killed next.
    private static func putAll<E: Engine>(_ engine: E, _ cell: Cell, _ use: EngineUse, rounds: Int) async throws {
        let database = try await engine.open(at: cell.store, for: use)
        _ = try await Team.run(1, onThreads: engine.runsOnThreads) { _ in
            let session = try database.session()
            let keys = cell.data.keys()
            var key = keys.makeBuffer()
            for round in 0..<rounds {
                for number in 0..<keys.count {
                    keys.write(number, to: &key)
                    try await session.put(
                        key, cell.data.values[value(number, round: round, of: cell.data.values.count)])
                }
            }
        }
        // Held until the process ends: a store that is let go of may be closed.
        held.append(database)
    }

    /// Which value a key gets in a round, counted from 0.
    static func value(_ number: Int, round: Int, of values: Int) -> Int { (number + round * 7_919) % values }

    nonisolated(unsafe) private static var held: [any Database] = []
}
