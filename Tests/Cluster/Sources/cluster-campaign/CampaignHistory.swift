import Foundation
import KeyValueStore
import Synchronization

/// What the clients of a run have seen.
struct CampaignHistory: Sendable, Codable {
    /// The calls on each register.
    var registers: [String: [RegisterOperation]] = [:]
    /// The transactions on lists.
    var lists: [ListTransaction] = []
    /// The calls on keys that expire.
    var expiring: [ExpiringOperation] = []
    /// The sequence numbers of acknowledged writes.
    var acknowledged: [SequenceNumber] = []
    /// The sequence numbers of the batches that a feed has delivered, in its order.
    var followed: [SequenceNumber] = []
    /// Writes that the feed has twice, and what was found at the end: where a copy by the feed differs from the store,
    /// and what the verification of the repository says.
    var findings: [String] = []
    /// The faults, and when they were made.
    var faults: [String] = []
    /// How often clients were told an outcome, by its code.
    var outcomes: [String: Int] = [:]

    /// What contradicts the store's promises; empty if nothing does.
    func problems() -> [String] {
        var problems: [String] = []
        for (name, operations) in registers.sorted(by: { $0.key < $1.key }) {
            switch LinearizabilityCheck.check(operations) {
            case .linearizable: break
            case .notLinearizable(let stuck): problems.append("register \(name) isn't linearizable at \(stuck)")
            case .undecided(let steps): problems.append("register \(name) is undecided after \(steps) steps")
            }
        }
        problems += ListAppendCheck.problems(lists)
        problems += ExpiryCheck.problems(expiring)
        problems += findings
        problems += FeedCheck.problems(acknowledged: acknowledged, followed: followed)
        return problems
    }

    /// As JSON.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        // Histories that are alike are compressed better.
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }

    /// What ``write(to:)`` has written.
    static func read(_ path: String) throws -> CampaignHistory {
        try JSONDecoder().decode(CampaignHistory.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// Collects a history from all clients, by one clock.
final class HistoryRecorder: Sendable {
    private let content = Mutex(CampaignHistory())
    /// The newest keys that expire, which clients may read.
    private let newest = Mutex<[(key: String, expires: UInt64)]>([])
    private let begin = ContinuousClock.now

    /// Microseconds since the beginning.
    var time: UInt64 {
        let (seconds, attoseconds) = (ContinuousClock.now - begin).components
        return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
    }

    var history: CampaignHistory { content.withLock { $0 } }

    func change(_ body: (inout sending CampaignHistory) -> Void) { content.withLock { body(&$0) } }

    var expiringKeys: [(key: String, expires: UInt64)] { newest.withLock { $0 } }

    func add(_ key: String, expires: UInt64) {
        newest.withLock { newest in
            newest.append((key, expires))
            if newest.count > 20 { newest.removeFirst() }
        }
    }

    func count(_ outcome: String) { change { $0.outcomes[outcome, default: 0] += 1 } }
}
