// From Sources/HeartwoodRepository/Repository+Transactions.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

struct Account: Codable, Identifiable, Sendable {
    var id: Int
    var balance: Int
}

struct Payment: Codable, Identifiable, Sendable {
    var id: Int
    var amount: Int
}

func pay(_ store: Store, _ accounts: Repository<Account>, _ payments: Repository<Payment>) async throws {
    try await store.transaction { transaction in
        guard var account = try await accounts.find(by: 1, in: transaction), account.balance >= 10 else { return }
        account.balance -= 10
        try await accounts.save(account, in: transaction)
        try await payments.insert(Payment(id: 7, amount: 10), in: transaction)
    }
}
