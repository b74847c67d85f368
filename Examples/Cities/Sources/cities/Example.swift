import HeartwoodRepository

/// Runs queries, prints how each one was answered, and compares it with a filter over all records.
final class Example {
    let cities: Repository<City>
    private(set) var number = 0
    private(set) var differences = 0

    init(_ cities: Repository<City>) { self.cities = cities }

    /// A query whose results are shown.
    func fetch(
        _ title: String, _ code: String, _ query: Query<City>, _ passes: @escaping (City) -> Bool,
        by isBefore: @escaping (City, City) -> Bool
    ) async throws {
        try await run(title, code, query) {
            try await cities.fetch(query)
        } scan: { all in
            Array(all.filter(passes).sorted(by: isBefore).prefix(query.limit ?? .max))
        } show: { found in
            Self.lines(found)
        }
    }

    /// Any call whose answer can be compared.
    func run<Answer: Equatable>(
        _ title: String, _ code: String, _ query: Query<City>?, _ call: () async throws -> Answer,
        scan: ([City]) -> Answer, show: (Answer) -> [String]
    ) async throws {
        number += 1
        print("\n" + Terminal.bold("\(number). \(title)"))
        for line in code.split(separator: "\n") { print("   " + Terminal.dim(String(line))) }
        let (answer, time) = try await Self.measure(21, call)
        let (expected, scanTime) = try await Self.measure(1) { scan(try await cities.loadAll()) }
        for line in show(answer) { print("   " + line) }
        if let query {
            let plan = try await cities.explain(query)
            for line in "\(plan)".split(separator: "\n") { print("     " + Terminal.dim("| " + line)) }
        }
        let isEqual = answer == expected
        if !isEqual { differences += 1 }
        let verdict = isEqual ? Terminal.green("equal") : Terminal.red("NOT EQUAL")
        print("   \(Terminal.time(time)); filtering all records took \(Terminal.time(scanTime)): \(verdict)")
    }

    /// The answer, and the median of the times.
    private static func measure<Answer>(
        _ runs: Int, _ call: () async throws -> Answer
    ) async throws -> (Answer, Duration) {
        var times: [Duration] = []
        while true {
            let start = ContinuousClock.now
            let answer = try await call()
            times.append(ContinuousClock.now - start)
            if times.count == runs { return (answer, times.sorted()[runs / 2]) }
        }
    }

    /// The first cities, a line each.
    static func lines(_ found: [City]) -> [String] {
        let shown = found.prefix(5).map { city in
            "\(city.country)  \(Self.padded(Terminal.grouped(city.population)))  \(city.name)"
        }
        return found.count > 5 ? shown + ["… \(Terminal.grouped(found.count)) in all"] : shown
    }

    private static func padded(_ text: String) -> String {
        String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}
