#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import KeyValueStore

/// What a batch becomes: comparisons, and operations if all hold.
struct CommitPlan {
    var compares: [EtcdCompare] = []
    var operations: [EtcdRequestOp] = []
    /// Whether an operation is a nested transaction.
    var hasRemovals = false
    /// The seconds of the leases that the operations need.
    var leases: Set<Int64> = []
    /// The oldest revision since which a range or key must be unchanged by its fences; nil if there is none.
    var fencesSince: Int64?
    /// Whether a key may have failed a comparison because it has expired, but etcd still has it.
    var mayMeetExpired = false

    /// - Parameters:
    ///   - known: What is known of keys that conditions compare, from a read after an earlier plan has failed.
    ///   - hasMarker: Whether the store is known to have keys with an expiry.
    init(_ batch: WriteBatch, _ layout: Layout, now: Timestamp, known: [HashedBytes: KnownKey], hasMarker: Bool) {
        for condition in batch.conditions { add(condition, layout, known) }
        if let fencesSince { compares.append(.isLess(layout.horizon, than: ordered(fencesSince + 1))) }
        for operation in batch.operations { add(operation, layout, now) }
        if !leases.isEmpty && !hasMarker { operations.append(.put(layout.expiryMarker, Data())) }
    }

    // MARK: Conditions

    private mutating func add(_ condition: Condition, _ layout: Layout, _ known: [HashedBytes: KnownKey]) {
        switch condition.kind {
        case .absent(let key):
            mayMeetExpired = true
            if case .expired(let revision) = known[HashedBytes(key)] {
                compares.append(.wasPut(layout.data(key), at: revision))
            } else {
                compares.append(.isAbsent(layout.data(key)))
            }
        case .sequence(let key, let sequence):
            mayMeetExpired = true
            // 0 would be that of an absent key.
            let revision = sequence == 0 ? Int64.max : Int64(clamping: sequence)
            compares.append(.wasPut(layout.data(key), at: revision))
            if known[HashedBytes(key)] != .expires(revision) { compares.append(.hasNoLease(layout.data(key))) }
        case .unchangedKey(let key, let view):
            guard let view = view as? EtcdStore.View else { return }
            switch view.shown(key) {
            case .put(let revision): compares.append(.wasPut(layout.data(key), at: revision))
            case .absent: compares.append(.isOlder(layout.data(key), than: view.revision + 1))
            case nil: addUnchanged((layout.data(key), nil), (layout.fence(key), nil), since: view.revision)
            }
        case .unchangedRange(let range, let view):
            guard let view = view as? EtcdStore.View, let data = layout.data(range),
                let fences = layout.fences(range)
            else { return }
            addUnchanged((data.lower, data.upper), (fences.lower, fences.upper), since: view.revision)
        }
    }

    /// Nothing was put, and nothing was removed, which only a fence shows.
    private mutating func addUnchanged(
        _ data: (lower: Data, upper: Data?), _ fences: (lower: Data, upper: Data?), since revision: Int64
    ) {
        compares.append(.isOlder(data.lower, end: data.upper, than: revision + 1))
        compares.append(.isOlder(fences.lower, end: fences.upper, than: revision + 1))
        fencesSince = min(revision, fencesSince ?? revision)
    }

    // MARK: Operations

    private mutating func add(_ operation: WriteBatch.Operation, _ layout: Layout, _ now: Timestamp) {
        let key = layout.data(operation.key)
        guard let value = operation.value else { return addRemoval(of: operation.key, layout) }
        let second = LeaseTable.second(operation.expires, now: now)
        if let second {
            // What has expired already isn't there for any reader.
            if Timestamp(milliseconds: 0) + .seconds(second) <= now { return addRemoval(of: operation.key, layout) }
            leases.insert(second)
        }
        operations.append(.put(key, Data(value), lease: second ?? 0))
    }

    /// Removes a key if it is there, and then puts its fence.
    private mutating func addRemoval(of key: [UInt8], _ layout: Layout) {
        let data = layout.data(key)
        let removal = EtcdTxnRequest(if: [.exists(data)], [.remove(data), .put(layout.fence(key), Data())])
        operations.append(.transaction(removal))
        hasRemovals = true
    }
}

/// What is known of a key, from a read after a comparison has failed.
enum KnownKey: Equatable {
    /// Etcd still has it, put by this revision, but it has expired.
    case expired(Int64)
    /// It was put by this revision, and expires later.
    case expires(Int64)
}
#endif
