import Foundation
import Heartwood
import HeartwoodRepository

/// The models of Documentation/Modelling.md and Documentation/Migration.md.
enum Shop {
    struct Customer: Codable, Identifiable, Sendable, Hashable {
        var id: UUID
        var name: String
        var email: String?
        var tags: [String] = []
        var visits = 0

        static let repository = RepositoryDefinition<Customer>(
            "customers", indexes: [Index("name", \.name), .unique("email", \.email), Index("tag", .each(\.tags))])
    }

    struct Order: Codable, Identifiable, Sendable, Hashable {
        enum Status: String, Codable, TupleElement { case open, paid, shipped }

        var id: Int
        var customer: UUID
        var status: Status
        var placed: Date
        var cents: Int
        var note = ""

        static let repository = RepositoryDefinition<Order>(
            "orders",
            indexes: [Index("customer", \.customer, \.placed), Index("status", \.status, \.placed)])
    }

    struct Seat: Codable, Identifiable, Sendable, Hashable {
        var id: KeyTuple<String, Int>  // the hall, and the number of the seat in it
        var isTaken = false
    }

    // What the examples are about.
    static let ada = Customer(id: UUID(), name: "Ada", email: "ada@example.org", tags: ["press", "vip"])
    static let bob = Customer(id: UUID(), name: "Bob", email: "bob@example.org")
    static let day = Date(timeIntervalSince1970: 1_780_000_000)

    static func orders(of customer: Customer = ada) -> [Order] {
        (1...40).map { number in
            Order(
                id: number, customer: customer.id, status: number % 4 == 0 ? .open : .shipped,
                placed: day.addingTimeInterval(Double(number) * 86_400), cents: number * 250)
        }
    }
}

// The customers of a program's versions.
enum ShopVersions {
    struct CustomerV1: Codable, Identifiable, Sendable {
        var id: Int
        var first: String
        var last: String
    }

    struct Customer: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var name: String

        static let repository = RepositoryDefinition<Customer>(
            "customers", version: 2, indexes: [Index("name", \.name)],
            migrations: [
                Migration(from: 1, to: 2) { (old: CustomerV1) in
                    Customer(id: old.id, name: "\(old.first) \(old.last)")
                }
            ])
    }

    /// A customer with another id.
    struct Member: Codable, Identifiable, Sendable, Equatable {
        var id: String
        var name: String

        static let repository = RepositoryDefinition<Member>("members", indexes: [Index("name", \.name)])
    }
}
