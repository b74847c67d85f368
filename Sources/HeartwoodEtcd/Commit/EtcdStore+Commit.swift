#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
public import KeyValueStore
import Synchronization

extension EtcdStore {
    /// Writes a batch; see `KeyValueStore`. Every write is as durable as etcd makes it: on the disks of a majority.
    ///
    /// - Throws: `.invalidArgument` also if a key is in the batch twice, or if a condition has a view of another store.
    ///   `.viewEnded` if a condition's view is older than the last sweep of fences. `.outcomeUnknown` if no server has
    ///   answered until the deadline, and `.outOfSpace` if the cluster's quota is reached.
    /// - Complexity: One round trip. One more if more commits are under way than ever before, for the first key that
    ///   expires in a second, and after `.absent` or `.sequence` has failed in a store whose keys expire.
    @discardableResult
    public nonisolated(nonsending) func write(
        _ batch: WriteBatch, durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        try checkOpen()
        try Transaction.checkOutside(of: self)
        try limits.check(batch) { ($0 as? View)?.store.id == id }
        if Task.isCancelled { throw .cancelled }
        if batch.operations.isEmpty && batch.conditions.isEmpty { return UInt64(newestWrite.load(ordering: .relaxed)) }
        // In a task of its own, which isn't cancelled with this one: the outcome would be unknown then.
        let result = await Task { () async -> Result<Int64, StoreError> in
            do throws(StoreError) { return .success(try await perform(batch)) } catch { return .failure(error) }
        }.value
        let revision = try result.get()
        note(revision)
        return UInt64(revision)
    }

    /// Makes plans until one is carried out, or refused for good.
    private func perform(_ batch: WriteBatch) async throws(StoreError) -> Int64 {
        let now = self.now
        var known: [HashedBytes: KnownKey] = [:]
        var attempts = 0
        while true {
            let plan = CommitPlan(
                batch, layout, now: now, known: known, hasMarker: hasExpiries.load(ordering: .relaxed))
            let outcome: CommitOutcome
            do throws(CallFailure) {
                try await leases.ensure(plan.leases, now: now, in: cluster)
                outcome = batch.operations.isEmpty ? try await compare(plan) : try await submit(plan)
            } catch {
                attempts += 1
                guard error.kind == .leaseMissing, attempts < 5 else { throw self.error(error) }
                leases.forget(plan.leases)
                continue
            }
            switch outcome {
            case .committed(let revision):
                if !plan.leases.isEmpty { hasExpiries.store(true, ordering: .relaxed) }
                return revision
            case .viewEnded:
                throw StoreError(
                    .viewEnded, "a view of a condition is older than what is kept of removals: make a new one")
            case .unknown(let failure):
                throw StoreError(
                    .outcomeUnknown,
                    "no server has answered whether the batch was written, \(failure.message): read what was written",
                    cause: failure.cause)
            case .conflict(let hasMarker):
                if hasMarker { hasExpiries.store(true, ordering: .relaxed) }
                let before = known
                if plan.mayMeetExpired && hasMarker { known = try await lookUp(batch.conditions, now) }
                attempts += 1
                if known == before || attempts == 10 { throw .conflict }
            }
        }
    }

    /// What etcd has of the keys of conditions, as far as their expiry makes a difference.
    private func lookUp(
        _ conditions: [Condition], _ now: Timestamp
    ) async throws(StoreError) -> [HashedBytes: KnownKey] {
        var keys: [(key: [UInt8], sequence: SequenceNumber?)] = []
        for condition in conditions {
            switch condition.kind {
            case .absent(let key): keys.append((key, nil))
            case .sequence(let key, let sequence): keys.append((key, sequence))
            case .unchangedKey, .unchangedRange: break
            }
        }
        let moment = Moment(revision: nil, now: now)
        var known: [HashedBytes: KnownKey] = [:]
        for ((key, sequence), value) in zip(keys, try await values(of: keys.map(\.key), at: moment).values) {
            guard let value, value.lease != 0 else { continue }
            let exists = moment.shows(value)
            if sequence == nil && !exists { known[HashedBytes(key)] = .expired(value.modRevision) }
            if sequence == UInt64(value.modRevision) && exists {
                known[HashedBytes(key)] = .expires(value.modRevision)
            }
        }
        return known
    }

    /// Evaluates conditions without a write. The reads in it make it linearizable.
    private func compare(_ plan: CommitPlan) async throws(CallFailure) -> CommitOutcome {
        let request = try request(plan.compares, [.range(layout.identity)], else: refusalReads(plan), plan)
        let response = try await cluster.call(Calls.transaction, request, mostBytes: mostBytes)
        if response.succeeded { return .committed(newestWrite.load(ordering: .relaxed)) }
        return try refusal(response, plan)
    }

    /// What is read if a comparison fails, to say why: the marker of expiries, and the horizon.
    func refusalReads(_ plan: CommitPlan) -> [EtcdRequestOp] {
        [.range(layout.expiryMarker)] + (plan.fencesSince == nil ? [] : [.range(layout.horizon)])
    }

    /// Why comparisons have failed.
    func refusal(_ response: EtcdTxnResponse, _ plan: CommitPlan) throws(CallFailure) -> CommitOutcome {
        guard response.responses.count >= refusalReads(plan).count else { throw .incomplete }
        if let since = plan.fencesSince {
            let horizon = response.responses[1].responseRange.kvs.first.flatMap { revision($0.value) }
            if horizon.map({ $0 > since }) ?? true { return .viewEnded }
        }
        return .conflict(hasMarker: !response.responses[0].responseRange.kvs.isEmpty)
    }

    /// Bytes of a commit's request. The servers add a header.
    var mostBytes: Int { configuration.serverRequestBytes - 512 }

    /// A transaction. Refuses one with more operations than the servers allow, before it is sent.
    func request(
        _ compares: [EtcdCompare], _ operations: [EtcdRequestOp], else failure: [EtcdRequestOp], _ plan: CommitPlan
    ) throws(CallFailure) -> EtcdTxnRequest {
        let limit = configuration.serverOperations
        let shape = TransactionShape(
            compares: compares.count, operations: operations.count, hasRemovals: plan.hasRemovals, limit: limit)
        guard let shape else {
            throw CallFailure(
                .refused(.tooLarge, remedy: "write it as several batches"),
                "it has \(compares.count) comparisons and \(operations.count) operations, with what the store adds, "
                    + "and the servers' limit of \(limit) doesn't allow both in one transaction")
        }
        return EtcdTxnRequest(if: compares, shape.arrange(operations), else: failure)
    }
}

/// What became of a plan.
enum CommitOutcome {
    case committed(Int64)
    case conflict(hasMarker: Bool)
    case viewEnded
    case unknown(CallFailure)
}

extension StoreError {
    static var conflict: StoreError {
        StoreError(.conflict, "a condition doesn't hold, because a key has changed: read it again and decide again")
    }
}
#endif
