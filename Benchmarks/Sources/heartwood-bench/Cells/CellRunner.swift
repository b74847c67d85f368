internal import Foundation

/// Executes a request of the parent, in the child process.
struct CellRunner: EngineVisitor {
    let spec: CellSpec
    let row: Row

    init(_ spec: CellSpec) throws {
        self.spec = spec
        row = try Catalogue(spec.parameters).row(spec.row)
    }

    /// Executes it. Returns nil if there is nothing to measure.
    func run() async throws -> CellResult.Run? {
        if case .typed(let work) = row.work {
            return try await spec.engine.acceptRecords(TypedCellRunner(spec: spec, cell: cell, work: work))
        }
        if case .jobs(let work) = row.work {
            let started = Date().timeIntervalSince1970
            return try await work.measure(spec.engine, cell).run(started: started)
        }
        return try await spec.engine.accept(self)
    }

    private var cell: Cell {
        Cell(
            row: row, data: row.dataset(seed: spec.parameters.seed), store: spec.store, scratch: spec.scratch,
            run: spec.run)
    }

    func visit<E: Engine>(_ engine: E) async throws -> CellResult.Run? {
        let cell = cell
        switch spec.action {
        case .makeFixture:
            guard let fixture = row.fixture else { return nil }
            try await FixtureMaker.make(fixture, engine, cell)
            return nil
        case .damage:
            guard case .damage(let work) = row.work else { return nil }
            try await work.tryAll(engine, cell, from: spec.run, seed: spec.parameters.seed)
            return nil
        case .measure:
            let started = Date().timeIntervalSince1970
            return try await measure(engine, cell).run(started: started)
        }
    }

    /// Calls the workload with the engine's concrete type, so that its loops are compiled for both.
    private func measure<E: Engine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        switch row.work {
        case .write(let work): try await work.measure(engine, cell)
        case .get(let work): try await work.measure(engine, cell)
        case .scan(let work): try await work.measure(engine, cell)
        case .seek(let work): try await work.measure(engine, cell)
        case .readWhileWriting(let work): try await work.measure(engine, cell)
        case .ycsb(let work): try await work.measure(engine, cell)
        case .recover(let work): try await work.measure(engine, cell)
        case .pace(let work): try await work.measure(engine, cell)
        case .amplify(let work): try await work.measure(engine, cell)
        case .remember(let work): try await work.measure(engine, cell)
        case .damage: throw WrongResult("damage is measured by the parent process")
        case .typed: throw WrongResult("typed rows are measured with records")
        case .jobs: throw WrongResult("rows of jobs are measured with queues")
        case .heartwood(let work): try await work.measure(cell)
        }
    }
}
