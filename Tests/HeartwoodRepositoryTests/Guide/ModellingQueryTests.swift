import Foundation
import Heartwood
import HeartwoodRepository
import Testing

private typealias Customer = Shop.Customer
private typealias Order = Shop.Order

/// The queries of Documentation/Queries.md, which has them and their explanations from here, and the examples of
/// Documentation/Migration.md and of the coders in Documentation/Modelling.md.
@Suite struct ModellingQueryTests {
    private let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Documentation/Queries.md")

    private func stores() async throws -> (Repository<Customer>, Repository<Order>) {
        let store = try Store.inMemory()
        let customers = try await store.repository(Customer.repository)
        let orders = try await store.repository(Order.repository)
        try await customers.save([Shop.ada, Shop.bob])
        try await orders.insert(Shop.orders())
        return (customers, orders)
    }

    @Test func queries() async throws {
        let (customers, orders) = try await stores()
        let (ada, day) = (Shop.ada, Shop.day)

        let open = try await orders.fetch(where: \.status == .open, sort: [.descending(\.placed)], limit: 10)
        let recent = try await orders.fetch(where: \.customer == ada.id && \.placed >= day)
        let large = try await orders.first(where: \.cents > 9_000 && \.status != .open)
        let named = try await customers.fetch(where: .hasPrefix(\.name, "Ad") || .isIn(\.name, ["Bob", "Eve"]))
        let press = try await customers.fetch(where: .contains(\.tags, "press") && \.email != nil)

        let query = Query<Order>(where: \.status == .shipped, sort: [.ascending(\.placed)], limit: 20, offset: 5)
        let shipped = try await orders.fetch(query)
        for try await order in orders.results(of: query) where order.cents > 5_000 { print(order.id) }

        #expect(open.map(\.id) == [40, 36, 32, 28, 24, 20, 16, 12, 8, 4])
        #expect(recent.count == 40)
        #expect(large?.id == 37)
        #expect(Set(named.map(\.name)) == ["Ada", "Bob"])
        #expect(press.map(\.name) == ["Ada"])
        #expect(shipped.count == 20)
        #expect(shipped.first?.id == 7)
    }

    @Test func predicates() async throws {
        let (_, orders) = try await stores()
        let limit = 5_000

        let found = try await orders.fetch(
            where: Filter(#Predicate { $0.cents >= limit && $0.note.isEmpty }) && \.status == .open)

        #expect(found.map(\.id) == [20, 24, 28, 32, 36, 40])
    }

    @Test func pages() async throws {
        let (_, orders) = try await stores()
        var ids: [Int] = []

        let query = Query<Order>(where: \.status == .shipped, sort: [.descending(\.placed)])
        var cursor: QueryCursor?
        repeat {
            let page = try await orders.page(query, limit: 12, after: cursor)
            ids += page.models.map(\.id)
            cursor = page.next  // page.next.description is text for a URL
        } while cursor != nil

        #expect(ids == (1...40).filter { $0 % 4 != 0 }.reversed())
    }

    @Test func aggregates() async throws {
        let (_, orders) = try await stores()

        let all = try await orders.count()
        let open = try await orders.count(where: \.status == .open)
        let oldest = try await orders.minimum(of: \.placed, where: \.status == .open)

        #expect((all, open) == (40, 10))
        #expect(oldest == Shop.day.addingTimeInterval(4 * 86_400))
    }

    @Test func explanations() async throws {
        let (_, orders) = try await stores()
        let text = try String(contentsOf: document, encoding: .utf8)

        let query = Query<Order>(
            where: \.status == .open && \.cents >= 5_000, sort: [.descending(\.placed)], limit: 3)
        print(try await orders.explain(query))

        let plan = try await orders.explain(query)
        #expect(text.contains("```\n\(plan)\n```"), "\(plan)")
    }

    @Test func migrates() async throws {
        typealias Customer = ShopVersions.Customer
        let store = try Store.inMemory()
        do {
            let old = try await store.repository(of: ShopVersions.CustomerV1.self, named: "customers")
            try await old.save((1...3).map { ShopVersions.CustomerV1(id: $0, first: "F\($0)", last: "L") })
        }

        let customers = try await store.repository(Customer.repository, maintenance: .manual)
        let first = try await customers.find(by: 1)  // migrated in memory
        let report = try await customers.maintain { progress in print(progress.records, progress.rewritten) }
        guard report.isComplete else { throw Incomplete(report) }

        #expect(first?.name == "F1 L")
        #expect(report.rewritten == 3)
        #expect(customers.readyIndexes == ["name"])
    }

    @Test func changesIDs() async throws {
        typealias Customer = ShopVersions.Customer
        typealias Member = ShopVersions.Member
        let store = try Store.inMemory()
        do {
            let customers = try await store.repository(Customer.repository)
            try await customers.save((1...3).map { Customer(id: $0, name: "n\($0)") })
        }

        let customers = try await store.repository(Customer.repository)
        let members = try await store.repository(Member.repository)
        let report = try await customers.moveRecords(to: members) { customer in
            Member(id: "c\(customer.id)", name: customer.name)
        }
        guard report.isComplete else { throw Unmoved(report.failures) }

        #expect(try await members.fetch(where: \.name == "n2").map(\.id) == ["c2"])
        #expect(try await customers.count() == 0)
    }

    private struct Unmoved: Error {
        let failures: [StoreError]

        init(_ failures: [StoreError]) { self.failures = failures }
    }

    private struct Incomplete: Error {
        let report: MaintenanceReport

        init(_ report: MaintenanceReport) { self.report = report }
    }

    @Test func undecodable() async throws {
        struct Strict: Codable, Identifiable, Sendable {
            var id: Int
            var name: String
            var email: String
        }
        struct Loose: Codable, Identifiable, Sendable {
            var id: Int
            var name: String
        }
        let store = try Store.inMemory()
        do {
            let loose = try await store.repository(of: Loose.self, named: "customers")
            try await loose.save([Loose(id: 1, name: "x"), Loose(id: 2, name: "y")])
        }
        let customers = try await store.repository(of: Strict.self, named: "customers")

        var damaged: [StoreError] = []
        let readable = try await customers.fetch(Query(where: .all)) { damaged.append($0) }

        #expect(readable.isEmpty)
        #expect(damaged.map(\.code) == [.undecodable, .undecodable])
        _ = await expectError(.undecodable) { _ = try await customers.loadAll() }
    }

    @Test func otherCoders() async throws {
        let store = try Store.inMemory()
        let dates = JSONEncoder()
        dates.dateEncodingStrategy = .iso8601
        let readableDates = JSONDecoder()
        readableDates.dateDecodingStrategy = .iso8601

        let orders = try await store.repository(
            of: Order.self, named: "orders", coder: JSONCoder(encoder: dates, decoder: readableDates))
        let archive = try await store.repository(of: Order.self, named: "archive", coder: .propertyList)

        try await orders.save(Shop.orders()[0])
        try await archive.save(Shop.orders()[0])
        #expect(try await orders.find(by: 1) == archive.find(by: 1))
    }
}
