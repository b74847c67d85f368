import Heartwood
import Synchronization

/// Gives each event a number that no other event of the store has, without a write for each.
///
/// Each opening of the store takes the next epoch, and counts within it, also if several services share a cluster. 48
/// bits last for decades.
final class EventNumbers: Sendable {
    /// Numbers of events that follow each other.
    struct Numbers {
        let epoch: UInt32
        let first: UInt64
    }

    private static let none = UInt64.max

    /// Nil for measurements without a store.
    private let store: (any KeyValueStore)?
    private let epoch: Atomic<UInt64>
    private let next = Atomic<UInt64>(0)

    /// Without a store the epoch is 0.
    init(_ store: (any KeyValueStore)?) {
        self.store = store
        epoch = Atomic(store == nil ? 0 : Self.none)
    }

    /// Takes `count` numbers. The first call writes to the store, and so do later ones until that has succeeded.
    func take(_ count: Int) async throws -> Numbers {
        let epoch = try await begin()
        return Numbers(epoch: epoch, first: next.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue)
    }

    /// Takes the next epoch of the store, unless that was done. It is on the disk when this returns.
    @discardableResult
    func begin() async throws -> UInt32 {
        let known = epoch.load(ordering: .relaxed)
        guard known == Self.none, let store else { return UInt32(truncatingIfNeeded: known) }
        let taken = try await store.transaction(durability: .synced) { transaction in
            let stored = try await transaction.fetchEntry(EventKeys.numbers)?.value ?? []
            let last = stored.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard last < .max else {
                throw StoreError(.corruption, "the epoch of event numbers is used up: another program has written it")
            }
            let epoch = last + 1
            try transaction.put(EventKeys.numbers, withUnsafeBytes(of: epoch.bigEndian) { [UInt8]($0) })
            return epoch
        }.value
        // Of several calls at once, one counts; the epochs of the others stay unused.
        let (_, before) = epoch.compareExchange(
            expected: Self.none, desired: UInt64(taken), ordering: .relaxed)
        return before == Self.none ? taken : UInt32(truncatingIfNeeded: before)
    }
}
