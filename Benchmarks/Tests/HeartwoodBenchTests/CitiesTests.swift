import Foundation
import Testing

@testable import heartwood_bench

struct CitiesTests {
    private let cities = Cities(count: 20_000, seed: 42)

    @Test func citiesAreDeterministicAndChangeOnlyTheirPopulation() {
        for number in 0..<1_000 {
            let city = cities.city(number)
            var changed = cities.city(number, change: 7)
            #expect(city == Cities(count: 10, seed: 42).city(number))
            #expect(changed.population != city.population)
            changed.population = city.population
            #expect(changed == city)
            #expect(cities.number(city.id) == number)
        }
    }

    @Test func citiesAreLikeThoseOfTheDemo() throws {
        let all = (0..<cities.count).map { cities.city($0) }
        #expect(all.allSatisfy { (15_000...21_000_000).contains($0.population) })
        #expect(all.allSatisfy { abs($0.latitude) <= 90 && abs($0.longitude) <= 180 })
        #expect(Set(all.map(\.country)).count == Cities.countries.count)
        #expect(Set(all.map(\.name)).count > 5_000)
        #expect(all.contains { !$0.name.utf8.allSatisfy { $0 < 0x80 } })
        let bytes = try JSONEncoder().encode(all).count / all.count
        #expect(abs(bytes - City.jsonBytes) < 10)
    }

    @Test func everyFieldIsInTheSum() {
        let city = cities.city(1)
        let other = cities.city(2)
        func with(_ change: (inout City) -> Void) -> UInt64 {
            var changed = city
            change(&changed)
            return changed.sum
        }
        let sums = [
            city.sum, with { $0.id += 1 }, with { $0.name += "x" }, with { $0.country = "??" },
            with { $0.population += 1 }, with { $0.latitude = other.latitude }, with { $0.longitude = other.longitude },
            with { $0.timezone += "x" }, with { $0.admin += "x" },
        ]
        #expect(Set(sums).count == sums.count)
    }

    @Test func answersAreThoseOfAScan() {
        var expected = ExpectedCities(cities)
        for number in stride(from: 0, to: cities.count, by: 3) { expected.save(number, change: number) }
        let all = (0..<cities.count).map { expected.city($0) }
        let answers = CityAnswers(expected)
        for population in [0, 15_000, answers.threshold, 1_000_000, 100_000_000] {
            #expect(answers.count(from: population) == all.count { $0.population >= population })
        }
        #expect(answers.count(from: answers.threshold) >= 2_000)
        for country in [0, 3, 199] {
            let members = all.filter { $0.country == Cities.countries[country] }
            #expect(answers.counts[country] == members.count)
            let largest = members.sorted { ($0.population, $0.id) > ($1.population, $1.id) }.prefix(20)
            #expect(answers.largest[country] == largest.map { cities.number($0.id) })
        }
    }
}
