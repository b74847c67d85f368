internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency

/// The acknowledged and the refused writes of all tasks of a round.
final class Ledger: Sendable {
    /// One acknowledged write.
    struct Write: Sendable {
        var sequence: SequenceNumber
        /// nil: it removed the key.
        var value: ValuePattern?
        var isBuffered: Bool
    }

    private struct State {
        var writes: [String: [Write]] = [:]
        var accepted = 0
        var refusals = 0
        var attempts = 0
        var refused: Set<String> = []
        var highest: SequenceNumber = 0
    }

    private let state = Locked(State())

    var accepted: Int { state.withLock { $0.accepted } }
    var refusals: Int { state.withLock { $0.refusals } }
    /// The highest sequence number that was acknowledged.
    var highest: SequenceNumber { state.withLock { $0.highest } }

    /// How many writes were accepted or refused.
    var attempts: Int { state.withLock { $0.attempts } }

    func noteAccepted(_ pairs: [(key: String, value: ValuePattern)], sequence: SequenceNumber, isBuffered: Bool) {
        state.withLock { state in
            for (key, value) in pairs {
                let write = Write(sequence: sequence, value: value, isBuffered: isBuffered)
                state.writes[key, default: []].append(write)
            }
            state.accepted += 1
            state.attempts += 1
            state.highest = max(state.highest, sequence)
        }
    }

    func noteRemoved(_ keys: [String], sequence: SequenceNumber) {
        state.withLock { state in
            for key in keys {
                state.writes[key, default: []].append(Write(sequence: sequence, value: nil, isBuffered: false))
            }
            state.accepted += 1
            state.attempts += 1
            state.highest = max(state.highest, sequence)
        }
    }

    /// The keys that the store must have, sorted.
    var keys: [String] {
        state.withLock { state in
            state.writes.filter { _, writes in writes.max { $0.sequence < $1.sequence }?.value != nil }.keys.sorted()
        }
    }

    func noteRefused(_ keys: [String]) {
        state.withLock { state in
            state.refused.formUnion(keys)
            state.refusals += 1
            state.attempts += 1
        }
    }

    /// Removes the buffered writes after `recovered`, which a dropped store may lose; no other write may be lost.
    func forget(after recovered: SequenceNumber) throws {
        try state.withLock { state in
            for (key, writes) in state.writes {
                let kept = writes.filter { $0.sequence <= recovered }
                if let lost = writes.first(where: { $0.sequence > recovered && !$0.isBuffered }) {
                    throw Violation(
                        "number \(lost.sequence) is lost, and was acknowledged as more than buffered: "
                            + "only \(recovered) was recovered"
                    )
                }
                state.writes[key] = kept.isEmpty ? nil : kept
            }
        }
    }

    /// Checks that a store has exactly the acknowledged writes: by a get of each key, and by a scan.
    func compare(with store: Store) throws {
        let (writes, refused) = state.withLock { ($0.writes, $0.refused) }
        for (key, history) in writes {
            let newest = history.max { $0.sequence < $1.sequence }!
            let value = try store.get(key)
            guard let expected = newest.value else {
                try expect(value == nil, "\(key) is there, and was removed with number \(newest.sequence)")
                continue
            }
            guard let value else {
                throw Violation("\(key), acknowledged with number \(newest.sequence), is missing")
            }
            try expect(expected.matches(value), "\(key) has other bytes than those of number \(newest.sequence)")
        }
        for key in refused where try writes[key] == nil && store.get(key) != nil {
            throw Violation("\(key) is there, and was refused")
        }
        let scanned = try store.scan().entries().count
        let there = keys.count
        try expect(scanned == there, "a scan finds \(scanned) keys, and \(there) are acknowledged")
    }
}
