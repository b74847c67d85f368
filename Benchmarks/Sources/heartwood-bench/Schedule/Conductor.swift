internal import Foundation

/// Measures everything, one child process at a time, and saves the results.
struct Conductor {
    let catalogue: Catalogue
    let rows: [Row]
    let directory: WorkDirectory
    let progress: ProgressLine
    /// Where the results are saved after each run; nil if they aren't saved.
    let file: ResultsFile?
    private(set) var results: Results
    private var fixtures: FixtureStore

    init(
        _ catalogue: Catalogue, _ rows: [Row], _ results: Results, in directory: WorkDirectory,
        progress: ProgressLine, file: ResultsFile?
    ) {
        self.catalogue = catalogue
        self.rows = rows
        self.results = results
        self.directory = directory
        self.progress = progress
        self.file = file
        fixtures = FixtureStore(directory: directory, parameters: catalogue.parameters)
    }

    /// Runs everything that isn't measured yet. After an interruption, `results` has what was measured before.
    mutating func run(engines: [EngineID]) async throws {
        let steps = Schedule.remaining(Schedule.steps(rows, engines: engines), after: results.cells)
        let byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        progress.begin(PlanTime.estimates(steps, byID))
        defer { progress.end() }
        for (position, step) in steps.enumerated() {
            guard let row = byID[step.row] else { continue }
            // A failed cell isn't tried again.
            guard !hasFailed(step) else { continue }
            progress.show(step: position, "\(step.row), \(step.engine.rawValue)")
            try await perform(step, row)
            if Interrupt.isRequested { return }
            fixtures.removeUnneeded(
                steps[(position + 1)...].compactMap { next in byID[next.row].map { ($0, next.engine) } })
            try file?.write(results)
        }
    }

    private func hasFailed(_ step: Step) -> Bool {
        results.cells.contains { $0.row == step.row && $0.engine == step.engine.rawValue && $0.failure != nil }
    }

    private mutating func perform(_ step: Step, _ row: Row) async throws {
        do {
            let run = try await measure(step, row)
            if Interrupt.isRequested { return }
            note(step) { $0.runs.append(run) }
        } catch {
            if Interrupt.isRequested { return }
            note(step) { $0.failure = "\(error)" }
            progress.note("\(step.row), \(step.engine.rawValue): \(error)")
        }
    }

    private mutating func note(_ step: Step, _ change: (inout CellResult) -> Void) {
        let engine = step.engine.rawValue
        for row in [step.row] + rows.filter({ $0.source == step.row }).map(\.id) {
            let index = results.cells.firstIndex { $0.row == row && $0.engine == engine } ?? results.cells.count
            if index == results.cells.count { results.cells.append(CellResult(row: row, engine: engine)) }
            change(&results.cells[index])
        }
    }

    private mutating func measure(_ step: Step, _ row: Row) async throws -> CellResult.Run {
        let path = directory.newPath("\(step.row)-\(step.engine.rawValue)")
        try directory.make(path)
        defer { try? directory.remove(path) }
        var store = "\(path)/store"
        if row.fixture != nil {
            let fixture = try await fixtures.path(row, step.engine)
            if row.copiesFixture { try directory.copy(fixture, to: store) } else { store = fixture }
        } else {
            try directory.make(store)
        }
        try directory.make("\(path)/scratch")
        // Data of earlier runs must not be written to the disk during this one.
        directory.sync()
        let spec = CellSpec(
            action: .measure, engine: step.engine, parameters: catalogue.parameters, row: row.id, run: step.run,
            store: store, scratch: "\(path)/scratch")
        if case .damage(let work) = row.work { return try await work.measure(spec) }
        return try await ChildCell.measure(spec, seconds: PlanTime.limit(row))
    }
}
