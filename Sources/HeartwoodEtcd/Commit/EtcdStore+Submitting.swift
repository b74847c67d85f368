#if Etcd
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import KeyValueStore
import Synchronization

/// Sending a commit until its outcome is known.
extension EtcdStore {
    /// Carries out a plan at most once.
    func submit(_ plan: CommitPlan) async throws(CallFailure) -> CommitOutcome {
        var sending = CommitSending(slot: try await slot())
        do throws(CallFailure) {
            let outcome = try await cluster.retrying { (timeout) throws(CallFailure) in
                try await send(plan, &sending, timeout)
            }
            if let slot = sending.slot { slots.give(slot) }
            return outcome
        } catch {
            if error.isTransient && sending.mayBeCarriedOut { return .unknown(error) }
            // What was refused was not carried out, so the slot is as it was.
            if !sending.mayBeCarriedOut, let slot = sending.slot { slots.give(slot) }
            throw error
        }
    }

    private func slot() async throws(CallFailure) -> Slot {
        if let slot = slots.take() { return slot }
        return try await slots.create(in: cluster)
    }

    /// Sends a plan once more.
    private func send(
        _ plan: CommitPlan, _ sending: inout CommitSending, _ timeout: Duration
    ) async throws(CallFailure) -> CommitOutcome {
        if sending.slot == nil { sending.slot = try await slots.create(in: cluster) }
        guard let slot = sending.slot else { throw CallFailure(.notDone, "there is no slot") }
        let request = try request(plan, slot, isAgain: sending.mayBeCarriedOut)
        let response: EtcdTxnResponse
        do throws(CallFailure) {
            response = try await cluster.attempt(Calls.transaction, request, mostBytes: mostBytes, timeout: timeout)
        } catch {
            if error.kind == .unanswered { sending.mayBeCarriedOut = true }
            if error.isOutOfSpace, let revision = try await revision(of: slot, &sending, timeout) {
                return .committed(revision)
            }
            // An earlier sending may still be carried out, or may have been.
            if sending.mayBeCarriedOut && !error.isTransient {
                throw CallFailure(.unanswered, error.message, cause: error)
            }
            throw error
        }
        if response.succeeded {
            sending.slot?.revision = response.header.revision
            sending.slot?.number += 1
            return .committed(response.header.revision)
        }
        return try outcome(response, plan, slot, &sending)
    }

    /// The revision of a commit that etcd has refused because its quota is reached; nil if it wasn't carried out. The
    /// transaction that reaches the quota is carried out, and answered in the same way.
    private func revision(
        of slot: Slot, _ sending: inout CommitSending, _ timeout: Duration
    ) async throws(CallFailure) -> Int64? {
        do throws(CallFailure) {
            let found = try await cluster.attempt(Calls.range, EtcdRangeRequest(slot.key), timeout: timeout).kvs.first
            guard let found, found.value == ordered(slot.number + 1) else { return nil }
            sending.slot = Slot(key: slot.key, revision: found.modRevision, number: slot.number + 1)
            return found.modRevision
        } catch {
            sending.mayBeCarriedOut = true
            throw CallFailure(.unanswered, error.message, cause: error)
        }
    }

    /// The transaction of a plan. If it fails, it reads the slot. If an earlier sending may still be carried out, it
    /// also puts the slot, so that none of those is carried out later. It does that only if none was carried out: what
    /// the slot says of one must stay, because this answer may be lost, too.
    private func request(_ plan: CommitPlan, _ slot: Slot, isAgain: Bool) throws(CallFailure) -> EtcdTxnRequest {
        let compares = [.wasPut(slot.key, at: slot.revision)] + plan.compares
        let operations = plan.operations + [.put(slot.key, ordered(slot.number + 1))]
        var failure = refusalReads(plan) + [.range(slot.key)]
        if isAgain {
            let ending = [EtcdRequestOp.put(slot.key, ordered(-1))]
            failure.append(.transaction(EtcdTxnRequest(if: [.wasPut(slot.key, at: slot.revision)], ending)))
        }
        return try request(compares, operations, else: failure, plan)
    }

    /// What the slot says about a transaction whose comparisons have failed.
    private func outcome(
        _ response: EtcdTxnResponse, _ plan: CommitPlan, _ slot: Slot, _ sending: inout CommitSending
    ) throws(CallFailure) -> CommitOutcome {
        let reads = refusalReads(plan).count
        guard response.responses.count > reads else { throw .incomplete }
        guard let found = response.responses[reads].responseRange.kvs.first else {
            // It was swept. This sending has done nothing; of an earlier one that can't be said.
            sending.slot = nil
            let isKnown = !sending.mayBeCarriedOut
            throw CallFailure(isKnown ? .notDone : .unanswered, "the commit's slot was swept")
        }
        // The answer to this sending settles all earlier ones: the slot has been put since, or was put now.
        sending.mayBeCarriedOut = false
        let isPutNow = response.responses.last?.responseTxn.succeeded ?? false
        sending.slot?.revision = isPutNow ? response.header.revision : found.modRevision
        if found.modRevision == slot.revision { return try refusal(response, plan) }
        if found.value == ordered(slot.number + 1) {
            sending.slot?.number += 1
            return .committed(found.modRevision)
        }
        // An earlier sending has failed and put the slot. Its answer is lost, so the conditions are compared again.
        throw CallFailure(.notDone, "the answer to an earlier sending was lost")
    }
}

/// The state of a commit that is being sent.
struct CommitSending {
    /// Nil if it was swept.
    var slot: Slot?
    /// Whether a sending was not answered that may still be carried out.
    var mayBeCarriedOut = false
}
#endif
