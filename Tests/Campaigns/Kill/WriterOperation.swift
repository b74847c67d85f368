internal import HeartwoodTesting
internal import Heartwood
internal import HeartwoodCampaignSupport

/// One operation of one writer. It follows from seed, round, writer and number, so that the parent knows every byte of
/// an acknowledged operation.
///
/// Each writer has its own keys, so that the expected state is exactly known. Only the counters that transactions
/// increment are shared.
struct WriterOperation: Sendable {
    enum Kind: Sendable {
        case put(key: String)
        case remove(key: String)
        /// Every key of a group, and the key to leave out of it (removed in the same batch).
        case batch(group: String, size: Int, leavesOut: Int?)
        /// Adds one to a shared counter, and puts the operation's value under the writer's own key.
        case increment(counter: String, own: String)
    }

    let writer: Int
    /// Grows with every operation of the writer, over all rounds.
    let counter: UInt64
    let kind: Kind
    let durability: Durability
    private let seed: UInt64
    private let hasLargeValues: Bool

    static let counters = 3
    /// An expiry that no test reaches, in milliseconds since 1970.
    static let farExpiry: UInt64 = 4_000_000_000_000

    init(plan: RoundPlan, writer: Int, number: Int) {
        self.writer = writer
        seed = plan.seed
        hasLargeValues = plan.hasLargeValues
        counter = UInt64(plan.round) << 32 | UInt64(number)
        var random = SeededRandom(seed, counter, UInt64(writer), 4)
        durability =
            switch writer % 4 {
            case 0: .synced
            case 1: .written
            case 2: .buffered
            default: random.pick([.synced, .written, .buffered, .buffered, .buffered])
            }
        kind =
            switch random.below(20) {
            case ..<12: .put(key: "w\(writer)/k\(random.below(30))")
            case ..<14: .remove(key: "w\(writer)/k\(random.below(30))")
            case ..<18:
                Self.batch(writer: writer, group: random.below(3), leavesOut: random.oneIn(3) ? random.below(4) : nil)
            default: .increment(counter: "t\(random.below(Self.counters))", own: "w\(writer)/t")
            }
    }

    private static func batch(writer: Int, group: Int, leavesOut: Int?) -> Kind {
        .batch(group: "w\(writer)/b\(group)/", size: 4 + 8 * group, leavesOut: leavesOut)
    }

    /// The new values of its own keys; nil: removed.
    var changes: [(key: String, value: [UInt8]?)] {
        switch kind {
        case .put(let key): [(key, value(of: key))]
        case .remove(let key): [(key, nil)]
        case .batch(let group, let size, let leavesOut):
            (0..<size).map { number in
                let key = "\(group)\(number)"
                return (key, number == leavesOut ? nil : value(of: key))
            }
        case .increment(_, let own): [(own, value(of: own))]
        }
    }

    /// The expiry of a value that it puts; 0: none.
    func expiry(of key: String) -> UInt64 {
        SeededRandom.mix(hash(key) ^ 5) % 8 == 0 ? Self.farExpiry + counter % 1000 : 0
    }

    /// The counter, followed by bytes that are derived from seed, writer, counter and key.
    func value(of key: String) -> [UInt8] {
        let hash = hash(key)
        var length = Int(SeededRandom.mix(hash ^ 1) % 400)
        if hasLargeValues, SeededRandom.mix(hash ^ 2) % 400 == 0 {
            length = 900_000 + Int(SeededRandom.mix(hash ^ 3) % 1_600_000)
        }
        return littleEndianBytes(of: counter) + ValuePattern(identity: hash, length: length).bytes
    }

    private func hash(_ key: String) -> UInt64 {
        var random = SeededRandom(seed, counter, UInt64(writer))
        var hash = random.next()
        for byte in key.utf8 { hash = SeededRandom.mix(hash &* 31 &+ UInt64(byte)) }
        return hash
    }
}
