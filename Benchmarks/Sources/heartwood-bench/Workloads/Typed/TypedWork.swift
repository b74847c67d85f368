internal import Foundation

/// What cells of typed rows do. Each case is generic over the engine; `TypedCellRunner` calls it with the engine.
enum TypedWork: Sendable {
    /// Saves of changed cities, one by one, or in batches.
    case save(TypedSaving)
    /// Answers to questions.
    case ask(TypedAsking)
}

/// Executes a request of the parent for a typed row, in the child process.
struct TypedCellRunner: RecordEngineVisitor {
    let spec: CellSpec
    let cell: Cell
    let work: TypedWork

    func visit<E: RecordEngine>(_ engine: E) async throws -> CellResult.Run? {
        switch spec.action {
        case .makeFixture:
            let database = try await engine.open(at: cell.store, .survivesProcessDeath, blocks: false)
            try await database.fill(cell.cities)
            try await database.close()
            return nil
        case .measure:
            let started = Date().timeIntervalSince1970
            switch work {
            case .save(let saving): return try await saving.measure(engine, cell).run(started: started)
            case .ask(let asking): return try await asking.measure(engine, cell).run(started: started)
            }
        case .damage: return nil
        }
    }
}

extension Cell {
    /// The cities of a typed row.
    var cities: Cities { Cities(count: info.keys, seed: 42) }
}
