#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Synchronization

/// A key that one commit at a time uses, to learn whether it was carried out.
///
/// A commit puts its number into the slot, under the condition that the slot's revision is the one before. So of all
/// sendings of a commit at most one is carried out, and the slot says which commit it was. A slot's name is never used
/// again: if a slot is missing, it was swept.
struct Slot: Sendable {
    let key: Data
    /// The revision of the last write that was made with it.
    var revision: Int64
    /// The number of the last commit.
    var number: Int64 = 0
}

/// The slots of a store object, as many as it has had commits at the same time.
final class SlotPool: Sendable {
    private struct State {
        var free: [Slot] = []
        var next: UInt64 = 0
    }

    private let layout: Layout
    private let client = UInt64.random(in: 0 ... .max)
    private let state = Mutex(State())

    init(_ layout: Layout) { self.layout = layout }

    /// A slot that isn't in use; nil if one has to be created.
    func take() -> Slot? { state.withLock { $0.free.popLast() } }

    /// Gives a slot back. A slot whose last commit's outcome is unknown isn't given back.
    func give(_ slot: Slot) { state.withLock { $0.free.append(slot) } }

    /// Creates a slot. Each attempt has its own name, so that an attempt that is carried out late changes nothing.
    func create(in cluster: Cluster) async throws(CallFailure) -> Slot {
        try await cluster.retrying { (timeout) throws(CallFailure) in
            let number = state.withLock { state in
                state.next += 1
                return state.next
            }
            let key = layout.slot(client, number)
            let request = EtcdTxnRequest(if: [.isAbsent(key)], [.put(key, ordered(0))])
            let response = try await cluster.attempt(Calls.transaction, request, timeout: timeout)
            guard response.succeeded else { throw CallFailure(.notDone, "a slot's name is taken") }
            return Slot(key: key, revision: response.header.revision)
        }
    }
}
#endif
