// From Sources/HeartwoodRepository/Repository+Moving.swift.
import Heartwood
import HeartwoodRepository

func moveCustomers(in store: Store) async throws {
    struct CustomerV2: Codable, Identifiable {
        var id: Int
        var email: String
        var name: String
    }
    struct Customer: Codable, Identifiable {
        var id: String
        var name: String
    }
    let old = try await store.repository(of: CustomerV2.self, named: "customers")
    let customers = try await store.repository(of: Customer.self, named: "customers-by-email")
    let report = try await old.moveRecords(to: customers) { old in
        Customer(id: old.email, name: old.name)
    }
    print(report.failures)
}
