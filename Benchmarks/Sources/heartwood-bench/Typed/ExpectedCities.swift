/// The cities that a repository must have, and what it must answer.
struct ExpectedCities: Sendable {
    let cities: Cities
    /// The change of each city that was saved last.
    private var changes: [UInt32]

    init(_ cities: Cities) {
        self.cities = cities
        changes = [UInt32](repeating: 0, count: cities.count)
    }

    mutating func save(_ number: Int, change: Int) { changes[number] = UInt32(change) }

    func city(_ number: Int) -> City { cities.city(number, change: Int(changes[number])) }

    func population(_ number: Int) -> Int { cities.population(number, change: Int(changes[number])) }

    /// Compares all records, and some answers of each index.
    ///
    /// - Throws: `WrongResult`.
    func check(_ database: some RecordDatabase) async throws {
        var found = 0
        try await database.forEach { city in
            found += 1
            let number = cities.number(city.id)
            guard number >= 0, number < cities.count, city == self.city(number) else {
                throw WrongResult("the city \(city.id) isn't as it was saved last")
            }
        }
        guard found == cities.count else {
            throw WrongResult("\(found) cities were returned, but \(cities.count) must exist")
        }
        let answers = CityAnswers(self)
        let count = try await database.count(from: answers.threshold)
        guard count == answers.count(from: answers.threshold) else {
            throw WrongResult("\(count) cities are counted by population, which is wrong")
        }
        for country in [0, 7, 42] {
            let name = Cities.countries[country]
            let largest = try await database.largest(CityAnswers.limit, in: name).map { cities.number($0.id) }
            guard largest == answers.largest[country] else {
                throw WrongResult("the largest cities of \(name) are wrong")
            }
            guard try await database.count(in: name) == answers.counts[country] else {
                throw WrongResult("the count of the cities of \(name) is wrong")
            }
        }
        let name = self.city(cities.count / 2).name
        guard try await database.isFound(name: name) else { throw WrongResult("no city is found by its name") }
    }
}

/// What a state of a repository must answer.
struct CityAnswers: Sendable {
    /// Results of a query.
    static let limit = 20

    /// The numbers of the largest cities of each country, the largest first.
    let largest: [[Int]]
    /// How many cities each country has.
    let counts: [Int]
    /// A population that some thousand cities have at least; a tenth of the cities if there are few.
    let threshold: Int
    /// All populations, ascending.
    private let populations: [Int]

    init(_ expected: ExpectedCities) {
        let cities = expected.cities
        var members = [[(population: Int, number: Int)]](repeating: [], count: Cities.countries.count)
        var populations: [Int] = []
        populations.reserveCapacity(cities.count)
        for number in 0..<cities.count {
            let population = expected.population(number)
            populations.append(population)
            members[cities.country(number)].append((population, number))
        }
        populations.sort()
        counts = members.map(\.count)
        largest = members.map { members in members.sorted(by: >).prefix(Self.limit).map(\.number) }
        threshold = populations[cities.count - max(1, min(5_000, cities.count / 10))]
        self.populations = populations
    }

    /// How many cities have at least this population.
    func count(from population: Int) -> Int {
        var (low, high) = (0, populations.count)
        while low < high {
            let middle = (low + high) / 2
            if populations[middle] < population { low = middle + 1 } else { high = middle }
        }
        return populations.count - low
    }
}
