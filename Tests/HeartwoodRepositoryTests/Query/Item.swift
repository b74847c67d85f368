import Foundation
@testable import KeyValueStore
import Testing

@testable import HeartwoodRepository

enum Grade: String, TupleElement, CaseIterable { case low, middle, high }

/// A model with a property of each kind, and few different values, so that queries find something.
struct Item: Sendable, Identifiable, Equatable {
    var id: Int
    var name: String
    var code: String?
    var number: Int
    var weight: Double
    var height: Float?
    var grade: Grade
    var tags: [String]
    var day: Date

    static let names = ["", "a", "a\u{0}", "a\u{0}b", "ab", "e", "e\u{301}", "\u{e9}t", "x\u{301}", "Reykjavik", "Rey"]
    static let weights = [-Double.infinity, -1.5, -0.0, 0.0, 2.5, .infinity, .nan]
    static let heights: [Float?] = [nil, -1, 0, 1.5, .nan, .infinity]
    static let allTags = ["x", "y", "z", "\u{e9}", ""]
    static let days = (0..<4).map { Date(timeIntervalSinceReferenceDate: Double($0) * 86_400) }

    init(_ id: Int, _ random: inout some RandomNumberGenerator) {
        self.id = id
        name = Self.names.randomElement(using: &random) ?? ""
        code = Bool.random(using: &random) ? nil : "c\(id)"
        number = Int.random(in: -3...6, using: &random)
        weight = Self.weights.randomElement(using: &random) ?? 0
        height = Self.heights.randomElement(using: &random) ?? nil
        grade = Grade.allCases.randomElement(using: &random) ?? .low
        tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Self.allTags.randomElement(using: &random) ?? ""
        }
        day = Self.days.randomElement(using: &random) ?? .distantPast
    }

    static let indexes: [Index<Item>] = [
        Index("number", \.number),
        Index("name", \.name),
        Index("name-number", \.name, \.number),
        Index("number-name-weight", \.number, \.name, \.weight),
        .unique("code", \.code),
        .unique("grade-id", \.grade, \.id),
        Index("weight", \.weight),
        Index("height-number", \.height, \.number),
        Index("grade-day", \.grade, \.day),
        Index("tag", .each(\.tags)),
        Index("grade-tag-number", .value(\.grade), .each(\.tags), .value(\.number)),
        Index("tag-name", .each(\.tags), .value(\.name)),
    ]
}

/// What a query must return, by the definition.
enum Expected {
    static func results(_ query: Query<Item>, _ items: [Item]) throws -> [Item] {
        let found = try items.filter { try query.filter.matches($0) }
        let sorted = found.map { item in
            let id = ElementKind.encoded(item.id)
            return (item, query.sortParts(of: QueryResult(model: item, id: id, sequence: 0, expires: nil)))
        }.sorted { left, right in
            for (position, (a, b)) in zip(left.1, right.1).enumerated() where a != b {
                let sort = position < query.sort.count ? query.sort[position] : query.sort.last
                let isBefore = KeyOrder.compare(a, b) < 0
                return isBefore != (sort?.isDescending ?? false)
            }
            return false
        }.map(\.0)
        return Array(sorted.dropFirst(query.offset).prefix(query.limit ?? .max))
    }
}

extension QuerySource {
    /// The results and the plan of a run.
    nonisolated(nonsending) func explained(_ query: Query<Model>) async throws -> (models: [Model], plan: QueryPlan) {
        var plan: QueryPlan?
        let models = try await fetch(query) { plan = $0 }
        return (models, try #require(plan))
    }
}
