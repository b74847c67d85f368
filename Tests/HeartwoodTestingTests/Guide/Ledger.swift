import Heartwood  // .product(name: "Heartwood", package: "heartwood")

/// A service: accounts, and money that is moved between them.
struct Ledger {
    let store: Store

    static func with(
        _ storage: Storage = .disk, durability: Durability = .synced,
        _ body: (Ledger) async throws -> Void
    ) async throws {
        var configuration = Store.Configuration()
        configuration.storage = storage
        configuration.durability = durability
        configuration.segmentBytes = 64 << 10
        try await Store.withStore(at: "/ledger", configuration: configuration) { store in
            try await body(Ledger(store: store))
        }
    }

    func balance(of account: String) throws -> Int {
        try store.get(account).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    func deposit(_ amount: Int, to account: String) async throws {
        try await store.put(account, String(balance(of: account) + amount))
    }

    /// Moves money.
    func transfer(_ amount: Int, from payer: String, to payee: String) async throws {
        let (paid, received) = (try balance(of: payer) - amount, try balance(of: payee) + amount)
        try await store.write { batch in
            batch.put(payer, String(paid))
            batch.put(payee, String(received))
        }
    }
}

extension Ledger {
    /// Moves money, but not as one.
    func carelessTransfer(_ amount: Int, from payer: String, to payee: String) async throws {
        try await store.put(payer, String(balance(of: payer) - amount))
        try await store.put(payee, String(balance(of: payee) + amount))
    }
}
