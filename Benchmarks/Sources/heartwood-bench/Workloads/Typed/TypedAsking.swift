/// `typed-find`, `typed-query`, `typed-count`: one worker asks, and adds up everything that it gets.
enum TypedAsking: Sendable {
    /// A city by its id.
    case find
    /// The largest cities of a country.
    case query
    /// How many cities have at least a population, which some thousand have.
    case countFrom
    /// How many cities a country has.
    case countIn

    func measure<E: RecordEngine>(_ engine: E, _ cell: Cell) async throws -> Measured {
        let database = try await engine.open(at: cell.store, .survivesProcessDeath, blocks: true)
        let answers = CityAnswers(ExpectedCities(cell.cities))
        let team = Team(1, onThreads: engine.prefersThreads)
        // Other questions than those that are measured, until all caches are warm.
        _ = try await run(database, cell, answers, seed: ~cell.seed(0), nanoseconds: cell.nanoseconds / 4, team)
        let start = Ticks.now
        let outcome = try await run(database, cell, answers, seed: cell.seed(0), nanoseconds: cell.nanoseconds, team)
        let measured = Measured([outcome.watch], since: start, bytesEach: 0)
        team.disband()
        try await database.close()
        try check(outcome, cell, answers)
        return measured
    }

    private struct Outcome: Sendable {
        var watch: Stopwatch
        var sum: UInt64 = 0
    }

    private func run(
        _ database: some RecordDatabase, _ cell: Cell, _ answers: CityAnswers, seed: UInt64, nanoseconds: UInt64,
        _ team: Team
    ) async throws -> Outcome {
        try await team.run { _ in
            var outcome = Outcome(
                watch: Stopwatch(deadline: Ticks.now + nanoseconds, interval: self == .find ? cell.interval : 1))
            var numbers = RandomNumbers(below: cell.info.keys, seed: seed)
            let cities = cell.cities
            while true {
                let group = outcome.watch.next()
                if group == 0 { break }
                for step in 0..<group {
                    outcome.sum &+= try await ask(numbers.next(), database, cities, answers)
                    if step == 0 { outcome.watch.lap() }
                }
            }
            outcome.watch.stop()
            return outcome
        }[0]
    }

    @inline(__always)
    private func ask(
        _ number: Int, _ database: some RecordDatabase, _ cities: Cities, _ answers: CityAnswers
    ) async throws -> UInt64 {
        switch self {
        case .find: try await database.find(cities.id(number))?.sum ?? 0
        case .query:
            Self.sum(
                try await database.largest(CityAnswers.limit, in: Cities.countries[cities.country(number)]))
        case .countFrom: UInt64(try await database.count(from: answers.threshold + number % 100))
        case .countIn: UInt64(try await database.count(in: Cities.countries[cities.country(number)]))
        }
    }

    /// Depends on the order.
    private static func sum(_ cities: [City]) -> UInt64 { cities.reduce(0) { $0 &* 31 &+ $1.sum } }

    private func check(_ outcome: Outcome, _ cell: Cell, _ answers: CityAnswers) throws {
        let cities = cell.cities
        let queries = self == .query ? answers.largest.map { Self.sum($0.map { cities.city($0) }) } : []
        var numbers = RandomNumbers(below: cell.info.keys, seed: cell.seed(0))
        var expected: UInt64 = 0
        for _ in 0..<outcome.watch.count {
            let number = numbers.next()
            switch self {
            case .find: expected &+= cities.city(number).sum
            case .query: expected &+= queries[cities.country(number)]
            case .countFrom: expected &+= UInt64(answers.count(from: answers.threshold + number % 100))
            case .countIn: expected &+= UInt64(answers.counts[cities.country(number)])
            }
        }
        guard outcome.sum == expected else {
            throw WrongResult("answers are wrong: they add up to \(outcome.sum), not to \(expected)")
        }
    }
}
