/// What cells of typed rows do.
enum TypedWork: Sendable {
    /// `typed-save`: workers save random cities with another population, each in its own range of numbers, so many at
    /// once.
    case save(batch: Int)
    /// `typed-find`, `typed-query`, `typed-count`: one worker asks, and adds up everything that it gets.
    case ask(Question)
}

extension Cell {
    /// The cities of a typed row.
    var cities: Cities { Cities(count: row.info.keys, seed: 42) }
}

extension RecordEngine {
    func run(_ cell: Cell) async throws -> Measured? {
        guard case .typed(let work) = cell.row.work else { throw WrongResult("\(info.title) has records only") }
        switch (cell.spec.action, work) {
        case (.makeFixture, _):
            let database = try await open(at: cell.spec.store, .survivesProcessDeath, blocks: false)
            try await database.fill(cell.cities)
            try await database.close()
            return nil
        case (.measure, .save(let batch)): return try await save(cell, batch: batch)
        case (.measure, .ask(let question)): return try await ask(cell, question)
        case (.damage, _): return nil
        }
    }

    // MARK: - Saves

    private func save(_ cell: Cell, batch: Int) async throws -> Measured {
        let isAlone = cell.workers == 1 && prefersThreads
        let promise = cell.row.use.promise
        let database = try await open(at: cell.spec.store, promise, blocks: isAlone)
        let team = Team(cell.workers, onThreads: isAlone)
        let before = ProcessUse.now
        let start = Ticks.now
        let watches = try await team.run { worker in
            let watch = cell.stopwatch(since: start, interval: batch == 1 ? nil : 1)
            return try await save(database, saves(cell, worker), cell.cities, batch, watch)
        }
        var measured = Measured(watches, since: start, bytesEach: City.jsonBytes * batch, batch: batch)
        measured.note(ProcessUse.now, since: before, mapped: nil)
        team.disband()
        try await database.close()
        // Opens the store again, and compares all records and some queries with what was saved.
        var expected = ExpectedCities(cell.cities)
        for (worker, watch) in watches.enumerated() {
            var walk = saves(cell, worker)
            for _ in 0..<watch.count * batch {
                walk.advance()
                expected.save(walk.number, change: walk.value)
            }
        }
        let reopened = try await open(at: cell.spec.store, promise, blocks: false)
        try await expected.check(reopened)
        try await reopened.close()
        return measured
    }

    private func saves(_ cell: Cell, _ worker: Int) -> KeyWalk {
        KeyWalk(
            .random(seed: cell.seed(worker)), KeyWalk.range(of: worker, of: cell.workers, in: cell.row.info.keys),
            // More than the changes of a city that a run makes.
            valueCount: 1_000_003, round: 1)
    }

    @inline(__always)
    private func save(
        _ database: Opened, _ walk: KeyWalk, _ cities: Cities, _ batch: Int, _ watch: Stopwatch
    ) async throws -> Stopwatch {
        var (walk, watch) = (walk, watch)
        func next() -> City {
            walk.advance()
            return cities.city(walk.number, change: walk.value)
        }
        while watch.next() {
            if batch == 1 {
                try await database.save(next())
            } else {
                try await database.save((0..<batch).map { _ in next() })
            }
        }
        return watch
    }

    // MARK: - Questions

    private func ask(_ cell: Cell, _ question: Question) async throws -> Measured {
        let database = try await open(at: cell.spec.store, .survivesProcessDeath, blocks: true)
        let answers = CityAnswers(ExpectedCities(cell.cities))
        let team = Team(1, onThreads: prefersThreads)
        let interval = question == .find ? cell.interval : 1
        // Other questions than those that are measured, until all caches are warm.
        let warming = Stopwatch(deadline: Ticks.now + cell.nanoseconds / 4, interval: interval)
        _ = try await team.run { _ in try await ask(database, cell, question, answers, ~cell.seed(0), warming) }
        let start = Ticks.now
        let (watch, sum) = try await team.run { _ in
            try await ask(
                database, cell, question, answers, cell.seed(0), cell.stopwatch(since: start, interval: interval))
        }[0]
        team.disband()
        try await database.close()
        guard sum == question.expected(watch.count, cell.cities, answers, seed: cell.seed(0)) else {
            throw WrongResult("answers are wrong: they add up to \(sum)")
        }
        return Measured([watch], since: start, bytesEach: 0)
    }

    @inline(__always)
    private func ask(
        _ database: Opened, _ cell: Cell, _ question: Question, _ answers: CityAnswers, _ seed: UInt64,
        _ watch: Stopwatch
    ) async throws -> (Stopwatch, UInt64) {
        var (watch, sum, random) = (watch, UInt64(0), SplitMix64(seed: seed))
        let cities = cell.cities
        while watch.next() {
            let number = random.next(below: cities.count)
            switch question {
            case .find: sum &+= try await database.find(cities.id(number))?.sum ?? 0
            case .query:
                let country = Cities.countries[cities.country(number)]
                sum &+= Question.sum(try await database.largest(CityAnswers.limit, in: country))
            case .countFrom: sum &+= UInt64(try await database.count(from: answers.threshold + number % 100))
            case .countIn:
                sum &+= UInt64(try await database.count(in: Cities.countries[cities.country(number)]))
            }
        }
        return (watch, sum)
    }
}

/// What is asked about cities.
enum Question: Sendable {
    /// A city by its id.
    case find
    /// The largest cities of a country.
    case query
    /// How many cities have at least a population, which some thousand have.
    case countFrom
    /// How many cities a country has.
    case countIn

    /// Depends on the order.
    static func sum(_ cities: [City]) -> UInt64 { cities.reduce(0) { $0 &* 31 &+ $1.sum } }

    /// What the right answers add up to.
    func expected(_ count: Int, _ cities: Cities, _ answers: CityAnswers, seed: UInt64) -> UInt64 {
        let queries = self == .query ? answers.largest.map { Self.sum($0.map { cities.city($0) }) } : []
        var random = SplitMix64(seed: seed)
        return (0..<count).reduce(into: 0) { sum, _ in
            let number = random.next(below: cities.count)
            switch self {
            case .find: sum &+= cities.city(number).sum
            case .query: sum &+= queries[cities.country(number)]
            case .countFrom: sum &+= UInt64(answers.count(from: answers.threshold + number % 100))
            case .countIn: sum &+= UInt64(answers.counts[cities.country(number)])
            }
        }
    }
}
