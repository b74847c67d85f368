import Foundation
import Heartwood
import HeartwoodRepository
import KeyValueStoreTesting
import Testing

private typealias Customer = Shop.Customer
private typealias Order = Shop.Order

/// The examples of Documentation/Modelling.md, and that of uniqueness in Documentation/Queries.md.
@Suite struct ModellingGuideTests {
    @Test func opensAndSaves() async throws {
        let directory = NSTemporaryDirectory() + "heartwood-guide-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (ada, bob, newOrders) = (Shop.ada, Shop.bob, Shop.orders())

        let store = try await Store.open(at: directory)
        let customers = try await store.repository(Customer.repository)
        let orders = try await store.repository(Order.repository)

        try await customers.save(ada)  // adds a record, or replaces the one with this id
        try await customers.save([ada, bob])  // all or nothing
        try await orders.insert(newOrders)  // only if no record has any of these ids

        let found = try await customers.find(by: ada.id)  // nil if there is none
        let both = try await customers.find(by: [bob.id, ada.id])

        try await customers.update(ada.id) { customer in  // reads, changes, saves: atomic
            customer.tags.append("b2b")
        }
        let visits = try await customers.increment(\.visits, of: ada.id)
        try await customers.delete(bob.id)

        #expect(found == ada)
        #expect(both == [bob, ada])
        #expect(visits == 1)
        #expect(try await customers.find(by: ada.id)?.tags == ["press", "vip", "b2b"])
        #expect(try await customers.count() == 1)
        #expect(try await orders.count() == 40)
        try await store.close()
    }

    @Test func tupleIDs() async throws {
        let store = try Store.inMemory()
        let seats = try await store.repository(of: Shop.Seat.self, named: "seats")
        try await seats.insert((1...3).map { Shop.Seat(id: KeyTuple("hall 2", $0)) })
        try await seats.save(Shop.Seat(id: KeyTuple("hall 1", 9), isTaken: true))
        try await seats.update(KeyTuple("hall 2", 3)) { $0.isTaken = true }
        #expect(try await seats.loadAll().map(\.isTaken) == [true, false, false, true])
        #expect(seats.hasOrderedIDs)
    }

    @Test func revisions() async throws {
        let store = try Store.inMemory()
        let customers = try await store.repository(Customer.repository)
        try await customers.save(Shop.ada)
        var attempts = 0

        /// Shows a customer to a person, who changes the name.
        func rename(_ id: UUID, _ edit: (String) async throws -> String) async throws {
            guard let read = try await customers.findVersioned(by: id) else { return }
            var changed = read.model
            changed.name = try await edit(changed.name)
            do {
                try await customers.save(changed, replacing: read)
            } catch {
                guard error.code == .conflict else { throw error }
                try await rename(id, edit)  // another task was faster: show it again
            }
        }

        try await rename(Shop.ada.id) { name in
            attempts += 1
            if attempts == 1 { try await customers.update(Shop.ada.id) { $0.name = "Ada L." } }
            return name + "!"
        }
        #expect(attempts == 2)
        #expect(try await customers.find(by: Shop.ada.id)?.name == "Ada L.!")
    }

    @Test func expiry() async throws {
        var configuration = Store.Configuration()
        let clock = TestClock()
        configuration.clock = clock
        let store = try Store.inMemory(configuration: configuration)
        let customers = try await store.repository(Customer.repository)
        let guest = Shop.bob

        try await customers.save(guest, expires: .after(.seconds(3_600)))
        try await customers.update(guest.id) { $0.visits += 1 }  // expires as before
        try await customers.update(guest.id, expires: .after(.seconds(7_200))) { $0.visits += 1 }

        clock.advance(seconds: 7_199)
        #expect(try await customers.count(where: \.name == "Bob") == 1)
        clock.advance(seconds: 1)
        #expect(try await customers.count(where: \.name == "Bob") == 0)
        #expect(try await customers.find(by: guest.id) == nil)
        // Its unique value is free again.
        try await customers.save(Customer(id: UUID(), name: "Carl", email: guest.email))
    }

    @Test func transactions() async throws {
        let store = try Store.inMemory()
        let customers = try await store.repository(Customer.repository)
        let orders = try await store.repository(Order.repository)
        try await customers.save(Shop.ada)
        let order = Shop.orders()[0]

        let isAccepted = try await store.transaction { transaction in
            guard try await customers.find(by: order.customer, in: transaction) != nil else { return false }
            try await orders.insert(order, in: transaction)
            try await customers.increment(\.visits, of: order.customer, in: transaction)
            return true
        }.value

        #expect(isAccepted)
        #expect(try await orders.find(by: order.id) == order)
        #expect(try await customers.find(by: Shop.ada.id)?.visits == 1)
        // The form without the transaction is refused inside of it.
        _ = await expectError(.invalidArgument) {
            try await store.transaction { _ in try await orders.save(order) }
        }
    }

    @Test func uniqueness() async throws {
        let store = try Store.inMemory()
        let customers = try await store.repository(Customer.repository)
        try await customers.save([Shop.ada, Shop.bob])
        var (ada, bob) = (Shop.ada, Shop.bob)
        var message = ""

        do throws(StoreError) {
            try await customers.save(Customer(id: UUID(), name: "Eve", email: "ada@example.org"))
        } catch {
            guard error.code == .uniqueViolation else { throw error }
            if let violation = error.cause as? UniqueViolation {
                message = "\(violation.index): \(violation.values[0]) is that of \(violation.holder)"
            }
        }

        (ada.email, bob.email) = (bob.email, ada.email)
        try await customers.save([ada, bob])  // one batch: they exchange their addresses

        #expect(message == "email: \"ada@example.org\" is that of \(ada.id.uuidString)")
        #expect(try await customers.first(where: \.email == "ada@example.org")?.name == "Bob")
        // Any number of records may have nil.
        try await customers.save([Customer(id: UUID(), name: "x"), Customer(id: UUID(), name: "y")])
        #expect(try await customers.count(where: \.email == nil) == 2)
    }

    @Test func testing() async throws {
        let store = ConstrainedStore(.rough.seeded(42))
        let (orders, newOrders) = (try await store.repository(Order.repository), Shop.orders())
        try await orders.insert(Array(newOrders.prefix(20)))
        #expect(try await orders.count(where: \.status == .open) == 5)
        // A write has at most 100 conditions there: one for each record, each unique value, and the catalogue.
        let many = (1...100).map { Order(id: $0, customer: UUID(), status: .open, placed: Shop.day, cents: 1) }
        try await orders.save(Array(many.prefix(99)))
        _ = await expectError(.tooLarge) { try await orders.save(many) }
        let customers = try await store.repository(Customer.repository)
        let named = (1...50).map { Customer(id: UUID(), name: "\($0)", email: "\($0)@example.org") }
        _ = await expectError(.tooLarge) { try await customers.save(named) }
        try await customers.save(Array(named.prefix(49)))
    }
}
