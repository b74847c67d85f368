/// One run of a cell.
struct Step: Sendable, Equatable {
    var row: String
    var engine: EngineID
    /// Counted from 0.
    var run: Int
}

/// The order of the runs: row by row, and within a row every engine once, then every engine again, so that a change of
/// the machine's speed affects all engines. Each round starts with another engine.
enum Schedule {
    /// All runs of these rows and engines.
    static func steps(_ rows: [Row], engines: [EngineID]) -> [Step] {
        // Rows with a source are other figures of the same runs.
        rows.filter { $0.source == nil }.flatMap { row in
            let order = row.engines.filter(engines.contains)
            return (0..<row.runs).flatMap { run in
                order.indices.map { position in
                    Step(row: row.id, engine: order[(position + run) % order.count], run: run)
                }
            }
        }
    }

    /// The steps that have no result yet.
    static func remaining(_ steps: [Step], after cells: [CellResult]) -> [Step] {
        let done = Dictionary(cells.map { ("\($0.row) \($0.engine)", $0) }, uniquingKeysWith: { first, _ in first })
        return steps.filter { step in
            guard let cell = done["\(step.row) \(step.engine.rawValue)"] else { return true }
            return cell.failure == nil && cell.runs.count <= step.run
        }
    }
}

/// Measures everything, one child process at a time, and saves the results.
struct Conductor {
    let parameters: Parameters
    let rows: [Row]
    let directory: WorkDirectory
    /// Where the results are saved after each run; nil if they aren't saved.
    let file: ResultsFile?
    private(set) var results: Results
    private let progress = ProgressLine()
    /// The fixtures that exist: made on first use, and kept while later runs need them.
    private var fixtures: [String: String] = [:]

    init(
        _ parameters: Parameters, _ rows: [Row], _ results: Results, in directory: WorkDirectory, file: ResultsFile?
    ) {
        (self.parameters, self.rows, self.results) = (parameters, rows, results)
        (self.directory, self.file) = (directory, file)
    }

    /// Runs everything that isn't measured yet. After an interruption, `results` has what was measured before.
    mutating func run(engines: [EngineID]) async throws {
        let steps = Schedule.remaining(Schedule.steps(rows, engines: engines), after: results.cells)
        let byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        progress.begin(PlanTime.estimates(steps, byID))
        defer { progress.end() }
        for (position, step) in steps.enumerated() {
            // A failed cell isn't tried again.
            guard let row = byID[step.row], !hasFailed(step) else { continue }
            progress.show(step: position, "\(step.row), \(step.engine.rawValue)")
            do {
                let run = try await measure(step, row)
                if Interrupt.isRequested { return }
                note(step) { $0.runs.append(run) }
            } catch {
                if Interrupt.isRequested { return }
                note(step) { $0.failure = "\(error)" }
                progress.note("\(step.row), \(step.engine.rawValue): \(error)")
            }
            removeFixtures(except: steps[(position + 1)...].compactMap { byID[$0.row]?.fixture?.name($0.engine) })
            try file?.write(results)
        }
    }

    private func hasFailed(_ step: Step) -> Bool {
        results.cells.contains { $0.row == step.row && $0.engine == step.engine.rawValue && $0.failure != nil }
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
        let path = try directory.make("\(step.row)-\(step.engine.rawValue)")
        defer { directory.remove(path) }
        var spec = CellSpec(
            action: .measure, engine: step.engine, parameters: parameters, row: row.id, run: step.run,
            store: "\(path)/store", scratch: try directory.make("scratch", in: path))
        if let fixture = row.fixture {
            let made = try await self.path(of: fixture, row, step.engine)
            if row.copiesFixture { try directory.copy(made, to: spec.store) } else { spec.store = made }
        } else {
            _ = try directory.make("store", in: path)
        }
        // Data of earlier runs must not be written to the disk during this one.
        directory.sync()
        if case .damage(let changes) = row.work { return try await spec.tryDamage(changes: changes) }
        return try await spec.measure(seconds: PlanTime.limit(row))
    }

    private mutating func path(of fixture: Fixture, _ row: Row, _ engine: EngineID) async throws -> String {
        let name = fixture.name(engine)
        if let path = fixtures[name] { return path }
        let (path, scratch) = (try directory.make(name), try directory.make("scratch"))
        defer { directory.remove(scratch) }
        let spec = CellSpec(
            action: .makeFixture, engine: engine, parameters: parameters, row: row.id, store: path, scratch: scratch)
        try await spec.makeFixture(isKilled: fixture.isKilled, seconds: PlanTime.fixtureLimit(row))
        fixtures[name] = path
        return path
    }

    private mutating func removeFixtures(except needed: [String]) {
        for (name, path) in fixtures where !needed.contains(name) {
            directory.remove(path)
            fixtures[name] = nil
        }
    }
}
