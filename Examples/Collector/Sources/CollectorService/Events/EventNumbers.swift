import Heartwood
import Synchronization

/// Gives each event a number that no other event of the store has, without a write for each.
///
/// Each opening of the store takes the next epoch, and counts within it, also if several services share a cluster. 48
/// bits last for decades.
final class EventNumbers: Sendable {
    let epoch: UInt32
    private let next = Atomic<UInt64>(0)

    init(epoch: UInt32) { self.epoch = epoch }

    /// Takes the next epoch of a store. It is on the disk when this returns.
    static func open(_ store: any KeyValueStore) async throws -> EventNumbers {
        let epoch = try await store.withTransaction(durability: .synced) { transaction in
            let stored = try await transaction.fetchEntry(EventKeys.numbers)?.value ?? []
            let last = stored.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard last < .max else {
                throw StoreError(.corruption, "the epoch of event numbers is used up: another program has written it")
            }
            let epoch = last + 1
            try transaction.put(EventKeys.numbers, withUnsafeBytes(of: epoch.bigEndian) { [UInt8]($0) })
            return epoch
        }.value
        return EventNumbers(epoch: epoch)
    }

    /// The first of `count` numbers that follow each other.
    func take(_ count: Int) -> UInt64 {
        next.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
    }
}
