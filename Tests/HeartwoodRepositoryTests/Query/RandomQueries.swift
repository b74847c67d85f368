import Foundation
import HeartwoodTesting

@testable import HeartwoodRepository

/// Filters, sorts and queries drawn from a seed.
struct RandomQueries {
    var random: SeededRandom

    mutating func leaf() -> Filter<Item> {
        let (name, number, grade) = (random.pick(Item.names), random.number(in: -4...7), random.pick(Grade.allCases))
        let (weight, height, tag) = (random.pick(Item.weights), random.pick(Item.heights), random.pick(Item.allTags))
        let day = random.pick(Item.days)
        switch random.below(34) {
        case 0: return \.number == number
        case 1: return \.number != number
        case 2: return \.number < number
        case 3: return \.number >= number
        case 4: return .isIn(\.number, number...max(number, 4))
        case 5: return .isIn(\.number, [number, 1, 3])
        case 6: return \.name == name
        case 7: return \.name != name
        case 8: return \.name > name
        case 9: return \.name <= name
        case 10: return .hasPrefix(\.name, name)
        case 11: return \.weight == weight
        case 12: return \.weight < weight
        case 13: return \.weight >= weight
        case 14: return \.weight != weight
        case 15: return \.height == height
        case 16: return \.height > (height ?? 0)
        case 17: return \.height <= (height ?? 1)
        case 18: return .isIn(\.height, [height, nil])
        case 19: return \.grade == grade
        case 20: return .isIn(\.grade, [grade, .low])
        case 21: return .contains(\.tags, tag)
        case 22: return \.code == nil
        case 23: return \.code == "c\(number)"
        case 24: return .isIn(\.code, ["c1", "c3", "c\(number)", "none"])
        case 25: return .hasPrefix(\.code, "c1")
        case 26: return \.id == number
        case 27: return .isIn(\.id, [number, 2, 5, 99])
        case 28: return \.id > number
        case 29: return \.day <= day
        case 30: return \.day == day
        case 31: return predicate(number, name, tag)
        case 32: return .isIn(\.number, (0..<200).map { 2 * $0 })
        default: return random.oneIn(2) ? .all : !.all
        }
    }

    private mutating func predicate(_ number: Int, _ name: String, _ tag: String) -> Filter<Item> {
        switch random.below(5) {
        case 0: return Filter(#Predicate<Item> { $0.number >= number && $0.name.count < 3 })
        case 1: return Filter(#Predicate<Item> { $0.name.starts(with: name) || $0.number == number })
        case 2: return Filter(#Predicate<Item> { $0.tags.contains(tag) && !($0.number < number) })
        case 3: return Filter(#Predicate<Item> { $0.code == nil || $0.name != name })
        default: return Filter(#Predicate<Item> { (number...8).contains($0.number) })
        }
    }

    mutating func filter(_ depth: Int) -> Filter<Item> {
        switch depth == 0 ? 9 : random.below(10) {
        case 0...3: return filter(depth - 1) && filter(depth - 1)
        case 4...6: return filter(depth - 1) || filter(depth - 1)
        case 7: return !filter(depth - 1)
        default: return leaf()
        }
    }

    mutating func sort() -> Sort<Item> {
        let isAscending = random.oneIn(2)
        switch random.below(7) {
        case 0: return isAscending ? .ascending(\.number) : .descending(\.number)
        case 1: return isAscending ? .ascending(\.name) : .descending(\.name)
        case 2: return isAscending ? .ascending(\.weight) : .descending(\.weight)
        case 3: return isAscending ? .ascending(\.height) : .descending(\.height)
        case 4: return isAscending ? .ascending(\.grade) : .descending(\.grade)
        case 5: return isAscending ? .ascending(\.code) : .descending(\.code)
        default: return isAscending ? .ascending(\.id) : .descending(\.id)
        }
    }

    mutating func query() -> Query<Item> {
        let sorts = (0..<random.below(4)).map { _ in sort() }
        return Query(
            where: filter(random.below(4)), sort: sorts, limit: random.oneIn(2) ? nil : random.below(12),
            offset: random.oneIn(3) ? random.below(6) : 0)
    }

    mutating func items(_ count: Int) -> [Item] {
        (0..<count).map { Item($0 * 3 % 257 - 5, &random) }
    }
}
