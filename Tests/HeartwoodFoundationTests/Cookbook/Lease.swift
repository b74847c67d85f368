import Heartwood

/// The right to do something that one holder at a time may do. It ends when its time is over, also after a crash.
struct Lease {
    let store: Store
    let key: String
    let holder: String
    /// The number of the write that took or renewed it: as long as the key has it, the lease is this one.
    var number: SequenceNumber

    /// Takes the lease; nil where another holder has it.
    static func take(_ key: String, for holder: String, _ time: Duration, in store: Store) async throws -> Lease? {
        do throws(StoreError) {
            let number = try await store.put(key, holder, expires: .after(time), if: .absent)
            return Lease(store: store, key: key, holder: holder, number: number)
        } catch {
            guard error.code == .conflict else { throw error }
            return nil
        }
    }

    /// Keeps it for longer. Throws `.conflict` where it was over, and another holder may have it.
    mutating func renew(for time: Duration) async throws {
        number = try await store.put(key, holder, expires: .after(time), if: .sequence(number))
    }

    /// Gives it back, unless it was over. Throws `.conflict` then.
    func release() async throws {
        try await store.remove(key, if: .sequence(number))
    }
}
