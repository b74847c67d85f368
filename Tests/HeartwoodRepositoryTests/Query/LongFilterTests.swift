import Foundation
import HeartwoodTesting
import KeyValueStore
import Testing

@testable import HeartwoodRepository

/// Filters of many conditions, and of many groups in each other.
@Suite("Long and deep filters")
struct LongFilterTests {
    private static var store: ItemStore { ItemStore([], [Index("number", \.number), Index("name", \.name)]) }
    private let item: Item

    init() {
        var random = SeededRandom(1)
        item = Item(1, &random)
    }

    /// Runs `body` on a thread with the smallest stack that threads of tasks have: 512 KiB, on Darwin.
    private static func onSmallStack<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    enum Chain: CaseIterable {
        case andLeft, andRight, orLeft, orRight, not, notGroups

        func filter(_ count: Int) -> Filter<Item> {
            let conditions = (0..<count).lazy.map { $0 % 2 == 0 ? \Item.number > 1 : \Item.name != "a" }
            switch self {
            case .andLeft: return conditions.reduce(.all) { $0 && $1 }
            case .andRight: return conditions.reduce(.all) { $1 && $0 }
            case .orLeft: return conditions.reduce(!.all) { $0 || $1 }
            case .orRight: return conditions.reduce(!.all) { $1 || $0 }
            case .not: return (0..<count).reduce(\.number > 1) { filter, _ in !filter }
            case .notGroups: return conditions.reduce(.all) { !(!($0 && $1)) }
            }
        }
    }

    @Test(
        "A chain of 100,000 operators is built, described, planned, evaluated and released", arguments: Chain.allCases)
    func chains(_ chain: Chain) async throws {
        var item = item
        (item.number, item.name) = (5, "b")
        let passes = try await Self.onSmallStack { [item] in
            let source = Self.store.source
            let filter = chain.filter(100_000)
            let query = Query(where: filter)
            guard chain != .notGroups else {
                // Each negation makes a group of its own.
                #expect(filter.description.contains("128"))
                #expect(throws: StoreError.self) { try query.filter.tree.node() }
                return try filter.matches(item)
            }
            #expect(filter.description.utf8.count >= (chain == .not ? 10 : 1_000_000))
            let plan = source.plan(for: query)
            let read = chain == .orLeft || chain == .orRight ? "all records" : "index number: "
            #expect(plan.reads.count == 1 && plan.reads[0].hasPrefix(read))
            _ = try QueryCursor(query, [ElementKind.encoded(1)])
            _ = try QueryRun(query, source)
            return try filter.matches(item)
        }
        #expect(passes)
    }

    /// Alternating `&&` and `||`, each in the one before.
    private static func nested(_ groups: Int) -> Filter<Item> {
        (0..<groups).reduce(\.number > 1) { filter, number in
            number % 2 == 0 ? filter && \.number != number : filter || \.number == number
        }
    }

    @Test("128 groups in each other are planned; a query with one more is refused")
    func groups() async throws {
        try await Self.onSmallStack { [item] in
            let source = Self.store.source
            _ = try QueryRun(Query(where: !Self.nested(128)), source)
            _ = source.plan(for: Query(where: Self.nested(128))).description
            #expect(source.plan(for: Query(where: Self.nested(129))).description.contains("128"))
            _ = try Self.nested(100_000).matches(item)
        }
        let (filter, source) = (Self.nested(129), Self.store.source)
        func refused(_ body: () async throws -> Void) async {
            let error = await #expect(throws: StoreError.self) { try await body() }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("more than 128 groups") == true)
        }
        await refused { _ = try await source.fetch(Query(where: filter)) }
        await refused { _ = try await source.count(Query(where: filter)) }
        await refused { _ = try await source.page(Query(where: filter), limit: 1) }
        await refused { _ = try await source.extreme(isMaximum: true, of: \.number, where: filter) as Int? }
        try await TestStore(.memory).withUsers { store, users in
            let filter = (0..<129).reduce(\User.age > 1) { $1 % 2 == 0 ? $0 && \.age != 7 : $0 || \.age == 7 }
            await refused { _ = try await users.delete(where: filter) }
            await refused { for try await _ in users.results(of: Query(where: filter)) {} }
            await refused { for try await _ in users.observe(Query(where: filter)) { return } }
            await refused { for try await _ in users.observeCount(Query(where: filter)) { return } }
        }
    }

    /// A predicate of this many negations, each in the one before.
    private func negated(_ condition: some StandardPredicateExpression<Bool>, _ count: Int) -> Predicate<Item> {
        if count == 0 { return Predicate { _ in condition } }
        return negated(PredicateExpressions.build_Negation(condition), count - 1)
    }

    /// One of this many conditions, joined as `a || b || c` is.
    private func joined(
        _ condition: some StandardPredicateExpression<Bool>, _ count: Int
    ) -> Predicate<Item> {
        if count == 0 { return Predicate { _ in condition } }
        return joined(
            PredicateExpressions.build_Disjunction(lhs: condition, rhs: PredicateExpressions.build_Arg(false)),
            count - 1)
    }

    @Test("A predicate of 128 operators in each other is evaluated; one of more is refused", arguments: [false, true])
    func predicates(isJoined: Bool) async throws {
        let item = item
        func predicate(_ count: Int) -> Predicate<Item> {
            let condition = PredicateExpressions.build_Arg(true)
            return isJoined ? joined(condition, count) : negated(condition, count)
        }
        let (allowed, refused) = (Filter(predicate(128)), Filter(predicate(129)))
        #expect(try await Self.onSmallStack { try allowed.matches(item) })
        #expect(throws: StoreError.self) { try refused.matches(item) }
        let error = await #expect(throws: StoreError.self) {
            try await Self.store.source.fetch(Query(where: \.number > 1 && refused))
        }
        #expect(error?.code == .invalidArgument)
        #expect(try await Self.store.source.fetch(Query(where: \.number > 1 && allowed)).isEmpty)
    }

    /// What planning joins, for `count` conditions and for twice as many.
    private func growth(_ count: Int, _ filter: (Int) -> Filter<Item>) throws -> Double {
        let efforts = try [count, 2 * count].map { Double(Alternatives(try filter($0).tree.node()).effort) }
        return efforts[1] / efforts[0]
    }

    @Test("Planning of many conditions takes little more than twice as long for twice as many")
    func effort() throws {
        func or(_ count: Int) -> Filter<Item> { (0..<count).reduce(!.all) { $0 || \.id == $1 } }
        #expect(try growth(2_000, or) < 2.4)
        #expect(try growth(2_000) { count in (0..<count).reduce(!.all) { \.id == $1 || $0 } } < 2.4)
        #expect(try growth(2_000) { count in (0..<count).reduce(.all) { $0 && \.number != $1 } } < 2.4)
        #expect(try growth(2_000) { count in !(0..<count).reduce(!.all) { $0 || \.number == $1 } } < 2.4)
        #expect(try growth(1_000) { count in (0..<count).reduce(.all) { $0 && .contains(\.tags, "\($1)") } } < 2.4)
        #expect(
            try growth(1_000) { count in (0..<count).reduce(!.all) { $0 || \.id == $1 || \.name == "\($1)" } } < 2.4)
        let plan = Self.store.source.plan(for: Query(where: or(10_000)))
        #expect(plan.reads.count == 1 && plan.reads[0].hasPrefix("10000 records by id"))
        #expect(plan.description.hasSuffix("count: from the keys alone"))
    }

    @Test("More than 64 properties or elements are only evaluated")
    func manyElements() async throws {
        var item = item
        item.tags = (0..<100).map { "tag \($0)" }
        let store = ItemStore([item], [Index("tag", .each(\.tags))])
        let all = item.tags.reduce(Filter<Item>.all) { $0 && .contains(\.tags, $1) }
        let query = Query(where: all)
        #expect(store.source.plan(for: query).description.hasPrefix("index tag: "))
        #expect(try await store.source.fetch(query) == [item])
        #expect(try await store.source.count(Query(where: all && .contains(\.tags, "other"))) == 0)
    }
}
