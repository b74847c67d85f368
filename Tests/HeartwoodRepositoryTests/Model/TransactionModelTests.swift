import HeartwoodRepository
import HeartwoodTesting
import Synchronization
import Testing

/// Random typed transactions beside each other. Whatever a run of one has seen must be true of the state that its view
/// shows, with its own writes; and of the state before its commit. `HEARTWOOD_SEEDS` and `HEARTWOOD_SEED` as for
/// ``RepositoryModelTests``.
@Suite struct TransactionModelTests {
    @Test(arguments: TestEngine.allCases, RepositoryModelTests.seeds)
    func seesOnlyWhatIsSo(_ engine: TestEngine, _ seed: UInt64) async throws {
        do {
            try await TransactionRun(engine, seed).run()
        } catch {
            Issue.record("HEARTWOOD_SEED=\(seed): \(error)")
        }
    }
}

private struct TransactionRun {
    private let engine: TestEngine
    private let test: TestStore
    private let seed: UInt64
    /// One task alone, whose records expire. Otherwise the clock stands still.
    private let isAlone: Bool
    private let log = Log()

    private final class Log: Sendable { let entries = Mutex<[Entry]>([]) }

    /// A transaction, or another write, and what came of it.
    private struct Entry: Sendable {
        var program: [PieceStep]
        var runs: [Run] = []
        /// Of the write; nil if it has written nothing.
        var sequence: UInt64?
        var error: String?
        var now: UInt64
    }

    /// One run of a transaction's body.
    private struct Run: Sendable {
        var attempt: Int
        /// The last write that its view shows.
        var position: UInt64
        var results: [String] = []
        /// The error that ended it.
        var error: String?
    }

    private struct Mismatch: Error, CustomStringConvertible { let description: String }

    private struct Stop: Error {}

    init(_ engine: TestEngine, _ seed: UInt64) {
        (self.engine, self.seed, isAlone) = (engine, seed, seed % 3 == 0)
        test = TestStore(engine, seed: seed)
    }

    func run() async throws {
        try await test.withStore { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<(isAlone ? 1 : 3) {
                    // As another program, where there may be others.
                    let own = engine == .constrained && task == 2 ? try await test.open() : store
                    group.addTask { try await work(own, SeededRandom(seed, 40, UInt64(task))) }
                }
                try await group.waitForAll()
            }
            let world = try judge()
            for (number, repository) in try await repositories(store).enumerated() {
                let found = try await repository.loadAll()
                guard found == world.pieces(number) else {
                    throw Mismatch(description: "\(found) is stored, not \(world.pieces(number))")
                }
                let verification = try await repository.verify()
                guard verification.isClean else { throw Mismatch(description: "\(verification.findings)") }
            }
        }
    }

    private func repositories(_ store: any KeyValueStore) async throws -> [Repository<Piece>] {
        [try await store.repository(Piece.indexed), try await store.repository(Piece.plain)]
    }

    private func work(_ store: any KeyValueStore, _ random: SeededRandom) async throws {
        var random = random
        let repositories = try await repositories(store)
        for _ in 0..<(isAlone ? 20 : 8) {
            if isAlone { test.clock.advance(seconds: UInt64(random.below(3))) }
            if random.oneIn(4) {
                try await write(PieceStep.write(&random), repositories)
            } else {
                let program = PieceStep.program(&random, expires: isAlone)
                try await transact(program, repositories, store)
            }
        }
    }

    /// A write that is no transaction.
    private func write(_ step: PieceStep, _ repositories: [Repository<Piece>]) async throws {
        var entry = Entry(program: [step], now: test.clock.now().milliseconds)
        guard case .save(let pieces, _) = step.kind else { return }
        do throws(StoreError) {
            entry.sequence = try await repositories[step.repository].save(pieces)
        } catch {
            guard error.code == .uniqueViolation else { throw error }
            return
        }
        log.entries.withLock { $0.append(entry) }
    }

    private func transact(
        _ program: [PieceStep], _ repositories: [Repository<Piece>], _ store: any KeyValueStore
    ) async throws {
        var entry = Entry(program: program, now: test.clock.now().milliseconds)
        do {
            let committed = try await store.transaction { transaction in
                var run = Run(attempt: entry.runs.count, position: transaction.view.position.sequence)
                defer { entry.runs.append(run) }
                do {
                    for step in program {
                        if case .stop = step.kind { throw Stop() }
                        run.results.append(try await step.perform(repositories[step.repository], transaction))
                    }
                } catch {
                    run.error = Self.text(error)
                    throw error
                }
                return transaction.isReadOnly
            }
            if !committed.value { entry.sequence = committed.sequence }
        } catch {
            entry.error = Self.text(error)
        }
        log.entries.withLock { $0.append(entry) }
    }

    private static func text(_ error: any Error) -> String {
        (error as? StoreError)?.code.description ?? (error is Stop ? "stop" : "\(error)")
    }

    // MARK: Judging

    /// Compares everything that was seen with the states that there were. Returns the last one.
    private func judge() throws -> PieceWorld {
        let entries = log.entries.withLock { $0 }
        var states: [(sequence: UInt64, world: PieceWorld)] = [(0, PieceWorld())]
        for entry in entries.filter({ $0.sequence != nil }).sorted(by: { $0.sequence! < $1.sequence! }) {
            var world = states.last!.world
            let (results, error) = world.run(entry.program, now: entry.now)
            guard error == nil else { throw mismatch(entry, "it was committed, and should throw \(error!)") }
            if let run = entry.runs.last, run.results != results {
                throw mismatch(entry, "before its commit, it should have seen \(results)")
            }
            states.append((entry.sequence!, world))
        }
        for entry in entries {
            for (number, run) in entry.runs.enumerated() {
                let world = states.last { $0.sequence <= run.position }!.world
                do {
                    try judge(run, entry, world, isLast: number == entry.runs.count - 1)
                } catch let error as Mismatch {
                    throw mismatch(entry, "run \(number): \(error)")
                }
            }
        }
        var last = states.last!.world
        last.expire(now: test.clock.now().milliseconds)
        return last
    }

    private func mismatch(_ entry: Entry, _ text: String) -> Mismatch {
        Mismatch(description: "\(text)\n\(entry.program)\n\(entry.runs)\nthrew \(entry.error ?? "nothing")")
    }

    private func judge(_ run: Run, _ entry: Entry, _ start: PieceWorld, isLast: Bool) throws {
        var world = start
        world.expire(now: entry.now)
        // Whether it has assumed what isn't so. From then on it may see only its own writes.
        var isFalse = false
        for (number, step) in entry.program.enumerated() {
            let wasWritten = world.isWritten(step)
            let expected = world.perform(step, now: entry.now)
            guard number < run.results.count else {
                guard run.error != nil else { break }
                let isRestart = run.error == "conflict" || run.error == "viewEnded"
                guard isRestart ? !isLast : run.error == expected.error || isFalse && !isLast else {
                    throw Mismatch(description: "step \(number) ended in \(run.error ?? ""), not \(expected)")
                }
                return
            }
            if isFalse {
                if step.isRead && !wasWritten { throw Mismatch(description: "step \(number) has read what isn't so") }
                world.force(step, now: entry.now)
            } else if expected.error != nil || expected.result != run.results[number] {
                guard run.attempt == 0, case .insert = step.kind, run.results[number] == "inserted" else {
                    throw Mismatch(description: "step \(number): \(run.results[number]), not \(expected)")
                }
                isFalse = true
                world.force(step, now: entry.now)
            }
        }
        // A commit that throws does so for what the last run has seen. One that succeeds may do so in a later state.
        if isLast, let error = entry.error {
            guard !isFalse, error == world.violation else {
                throw Mismatch(description: "the commit should throw \(world.violation ?? "nothing")")
            }
        }
    }
}
