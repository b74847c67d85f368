internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency

/// The acknowledged and the refused writes of all tasks of a round.
final class Ledger: Sendable {
    /// One acknowledged write: the new value of each key; nil: removed.
    private struct Write: Sendable {
        var changes: [String: ValuePattern?]
        var sequence: SequenceNumber
        var isBuffered: Bool
    }

    private struct State {
        var writes: [Write] = []
        var accepted = 0
        var refusals = 0
        var refused: Set<String> = []
        /// The highest sequence number that was acknowledged.
        var highest: SequenceNumber = 0

        /// The newest write of each key, and its value.
        var newest: [String: (write: Write, value: ValuePattern?)] {
            writes.sorted { $0.sequence < $1.sequence }.reduce(into: [:]) { newest, write in
                for (key, value) in write.changes { newest[key] = (write, value) }
            }
        }
    }

    private let state = Locked(State())

    var accepted: Int { state.withLock { $0.accepted } }
    var refusals: Int { state.withLock { $0.refusals } }
    var highest: SequenceNumber { state.withLock { $0.highest } }
    /// How many writes were accepted or refused.
    var attempts: Int { state.withLock { $0.accepted + $0.refusals } }

    func noteAccepted(_ changes: [String: ValuePattern?], sequence: SequenceNumber, isBuffered: Bool = false) {
        state.withLock { state in
            state.writes.append(Write(changes: changes, sequence: sequence, isBuffered: isBuffered))
            state.accepted += 1
            state.highest = max(state.highest, sequence)
        }
    }

    func noteRemoved(_ keys: [String], sequence: SequenceNumber) {
        noteAccepted(Dictionary(uniqueKeysWithValues: keys.map { ($0, nil) }), sequence: sequence)
    }

    /// The keys that the store must have, sorted.
    var keys: [String] { state.withLock { $0.newest }.filter { $0.value.value != nil }.keys.sorted() }

    func noteRefused(_ keys: [String]) {
        state.withLock { state in
            state.refused.formUnion(keys)
            state.refusals += 1
        }
    }

    /// Removes the buffered writes after `recovered`, which a dropped store may lose; no other write may be lost.
    func forget(after recovered: SequenceNumber) throws {
        try state.withLock { state in
            if let lost = state.writes.first(where: { $0.sequence > recovered && !$0.isBuffered }) {
                throw Violation(
                    "number \(lost.sequence) is lost, and was acknowledged as more than buffered: "
                        + "only \(recovered) was recovered"
                )
            }
            state.writes.removeAll { $0.sequence > recovered }
        }
    }

    /// Checks that a store has exactly the acknowledged writes: by a get of each key, and by a scan.
    func compare(with store: Store) throws {
        let (newest, refused) = state.withLock { ($0.newest, $0.refused) }
        for (key, (write, expected)) in newest {
            let value = try store.get(key)
            guard let expected else {
                try expect(value == nil, "\(key) is there, and was removed with number \(write.sequence)")
                continue
            }
            guard let value else {
                throw Violation("\(key), acknowledged with number \(write.sequence), is missing")
            }
            try expect(expected.matches(value), "\(key) has other bytes than those of number \(write.sequence)")
        }
        for key in refused where try newest[key] == nil && store.get(key) != nil {
            throw Violation("\(key) is there, and was refused")
        }
        let (scanned, there) = (try store.scan().entries().count, keys.count)
        try expect(scanned == there, "a scan finds \(scanned) keys, and \(there) are acknowledged")
    }
}
