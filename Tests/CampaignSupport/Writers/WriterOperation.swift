package import Heartwood
internal import HeartwoodTesting

/// What the writers of a round do. Everything follows from a few numbers, so that a parent process or a reader knows
/// every byte of an operation.
package struct WriterPlan: Sendable {
    package var seed: UInt64
    package var round: Int
    /// The number of writer tasks.
    package var writers: Int
    /// The number of keys that a writer puts and removes one by one.
    package var keys = 30
    /// One in how many values is large, and the lengths of these.
    package var largeValues: (oneIn: UInt64, lengths: Range<Int>)?
    /// When the writers begin, in milliseconds since 1970; what expires does so within twenty seconds. Without it,
    /// nothing expires before a time that no test reaches.
    package var start: UInt64?

    package init(seed: UInt64, round: Int, writers: Int) {
        (self.seed, self.round, self.writers) = (seed, round, writers)
    }

    /// A writer's `number`th operation in this round.
    package func operation(writer: Int, number: Int) -> WriterOperation {
        WriterOperation(plan: self, writer: writer, number: number)
    }

    /// The operation of this or an earlier round that has put a value; nil if no writer puts such a value.
    ///
    /// Its expiry may differ: that depends on when its round has begun.
    func operation(thatPut value: [UInt8], at key: String) -> WriterOperation? {
        guard let writer = key.dropFirst().split(separator: "/").first.flatMap({ Int($0) }),
            let counter = littleEndianNumber(in: value), counter >> 32 <= round
        else { return nil }
        var plan = self
        plan.round = Int(counter >> 32)
        let operation = plan.operation(writer: writer, number: Int(counter & 0xFFFF_FFFF))
        return operation.value(of: key) == value ? operation : nil
    }

    /// About how many operations a writer does in a second, for values that expire soon.
    static let pace = 400
}

/// One operation of one writer. It follows from seed, round, writer and number, so that the parent knows every byte of
/// an acknowledged operation.
///
/// Each writer has its own keys, so that the expected state is exactly known. Only the counters that transactions
/// increment are shared.
package struct WriterOperation: Sendable {
    package enum Kind: Sendable {
        case put(key: String)
        case remove(key: String)
        /// Every key of a group, and the key to leave out of it (removed in the same batch).
        case batch(group: String, size: Int, leavesOut: Int?)
        /// Adds one to a shared counter, and puts the operation's value under the writer's own key.
        case increment(counter: String, own: String)
    }

    package let writer: Int
    /// Grows with every operation of the writer, over all rounds.
    package let counter: UInt64
    package let kind: Kind
    package let durability: Durability
    private let plan: WriterPlan

    private static let counters = 3
    /// An expiry that no test reaches, in milliseconds since 1970.
    private static let farExpiry: UInt64 = 4_000_000_000_000

    init(plan: WriterPlan, writer: Int, number: Int) {
        self.writer = writer
        self.plan = plan
        counter = UInt64(plan.round) << 32 | UInt64(number)
        var random = SeededRandom(plan.seed, counter, UInt64(writer), 4)
        durability =
            switch writer % 4 {
            case 0: .synced
            case 1: .written
            case 2: .buffered
            default: random.pick([.synced, .written, .buffered, .buffered, .buffered])
            }
        kind =
            switch random.below(20) {
            case ..<12: .put(key: "w\(writer)/k\(random.below(plan.keys))")
            case ..<14: .remove(key: "w\(writer)/k\(random.below(plan.keys))")
            case ..<18:
                Self.batch(writer: writer, group: random.below(3), leavesOut: random.oneIn(3) ? random.below(4) : nil)
            default: .increment(counter: "t\(random.below(Self.counters))", own: "w\(writer)/t")
            }
    }

    private static func batch(writer: Int, group: Int, leavesOut: Int?) -> Kind {
        .batch(group: "w\(writer)/b\(group)/", size: 4 + 8 * group, leavesOut: leavesOut)
    }

    /// The new values of its own keys; nil: removed.
    package var changes: [(key: String, value: [UInt8]?)] {
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

    /// Whether it is a transaction, which adds to a counter that it has read.
    package var isTransaction: Bool { if case .increment = kind { true } else { false } }

    /// The expiry of a value that it puts; 0: none.
    func expiry(of key: String) -> UInt64 {
        let hash = hash(key)
        guard SeededRandom.mix(hash ^ 5) % 8 == 0 else { return 0 }
        guard let start = plan.start else { return Self.farExpiry + counter % 1000 }
        return start + (counter & 0xFFFF_FFFF) * 1_000 / UInt64(WriterPlan.pace) + SeededRandom.mix(hash ^ 6) % 20_000
    }

    /// The counter, followed by bytes that are derived from seed, writer, counter and key.
    package func value(of key: String) -> [UInt8] {
        let hash = hash(key)
        var length = Int(SeededRandom.mix(hash ^ 1) % 400)
        if let (oneIn, lengths) = plan.largeValues, SeededRandom.mix(hash ^ 2) % oneIn == 0 {
            length = lengths.lowerBound + Int(SeededRandom.mix(hash ^ 3) % UInt64(lengths.count))
        }
        return littleEndianBytes(of: counter) + ValuePattern(identity: hash, length: length).bytes
    }

    private func hash(_ key: String) -> UInt64 {
        var random = SeededRandom(plan.seed, counter, UInt64(writer))
        var hash = random.next()
        for byte in key.utf8 { hash = SeededRandom.mix(hash &* 31 &+ UInt64(byte)) }
        return hash
    }
}

/// An operation that has returned, with its sequence number.
package struct Acknowledgement: Sendable {
    package var writer: Int
    package var number: Int
    package var sequence: SequenceNumber

    package init(writer: Int, number: Int, sequence: SequenceNumber) {
        (self.writer, self.number, self.sequence) = (writer, number, sequence)
    }
}

extension WriterOperation {
    /// Does the operation.
    ///
    /// - Returns: Its sequence number.
    package func perform(on store: Store) async throws -> SequenceNumber {
        switch kind {
        case .put(let key):
            return try await store.put(key, value(of: key), expires: expires(key), durability: durability)
        case .remove(let key):
            return try await store.remove(key, durability: durability)
        case .batch:
            return try await store.write(durability: durability) { batch in
                for (key, value) in changes {
                    if let value { batch.put(key, value, expires: expires(key)) } else { batch.remove(key) }
                }
            }
        case .increment(let counter, let own):
            return try await store.transaction(durability: durability) { transaction in
                let old = try transaction.get(counter).flatMap { littleEndianNumber(in: $0) } ?? 0
                try transaction.put(counter, littleEndianBytes(of: old + 1))
                try transaction.put(own, value(of: own), expires: expires(own))
            }.sequence
        }
    }

    private func expires(_ key: String) -> Expiry {
        let expiry = expiry(of: key)
        return expiry == 0 ? .never : .at(Timestamp(milliseconds: expiry))
    }
}
